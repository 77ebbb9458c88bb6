# Bankscope's completion for bash. The program itself says what may come next
# (`bankscope --complete WORD...`), from the tables that it reads its options with.
# shellcheck shell=bash
_bankscope() {
    local program=${COMP_WORDS[0]/#\~/$HOME} cur=${COMP_WORDS[COMP_CWORD]}
    local -a words=() said=()
    local i line value file extension
    COMPREPLY=()
    # bash takes NAME=VALUE apart at the "="; the program wants it whole.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        if ((${#words[@]} > 0)) && [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i - 1]} == = ]]; then
            words[${#words[@]} - 1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
    done
    [[ $cur == = ]] && cur=
    mapfile -t said < <("$program" --complete "${words[@]}" 2>/dev/null)
    for line in "${said[@]}"; do
        if [[ $line == $'\tfiles'* ]]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r file; do
                if [[ -d $file || $line == $'\tfiles' ]]; then
                    COMPREPLY+=("$file")
                    continue
                fi
                for extension in ${line#$'\tfiles'}; do
                    [[ $file == *"$extension" ]] && COMPREPLY+=("$file") && break
                done
            done < <(compgen -f -- "$cur")
            continue
        fi
        value=${line%%$'\t'*}
        # What stands before the "=" is a word of its own for bash.
        [[ ${words[${#words[@]} - 1]} == *=* ]] && value=${value#*=}
        [[ $value == "$cur"* ]] && COMPREPLY+=("$value")
    done
    [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _bankscope bankscope
