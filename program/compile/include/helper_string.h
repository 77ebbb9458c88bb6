/* helper_string.h - arguments of the form -name=value or --name=value, as NVIDIA's samples take them. */
#ifndef BANKSCOPE_HELPER_STRING_H
#define BANKSCOPE_HELPER_STRING_H

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is behind the name of an argument: "", "=5"; NULL when it is not there. */
inline const char *bankscope_flag(int argc, const char **argv, const char *name)
{
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i] + strspn(argv[i], "-");
        size_t length = strlen(name);
        if (argument != argv[i] && strncasecmp(argument, name, length) == 0 &&
            (argument[length] == '\0' || argument[length] == '='))
            return argument + length;
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name)
{
    return bankscope_flag(argc, argv, name) != nullptr;
}
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name)
{
    const char *flag = bankscope_flag(argc, argv, name);
    return flag && *flag ? atoi(flag + 1) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name)
{
    const char *flag = bankscope_flag(argc, argv, name);
    return flag && *flag ? (float)atof(flag + 1) : 0;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value)
{
    const char *flag = bankscope_flag(argc, argv, name);
    if (!flag || !*flag)
        return false;
    *value = const_cast<char *>(flag + 1);
    return true;
}

#endif
