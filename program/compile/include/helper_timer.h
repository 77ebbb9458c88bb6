/* helper_timer.h - the stop watch of NVIDIA's samples. */
#ifndef BANKSCOPE_HELPER_TIMER_H
#define BANKSCOPE_HELPER_TIMER_H

#include <chrono>

class StopWatchInterface
{
    std::chrono::steady_clock::time_point begin;
    double total = 0;
    int sessions = 0;
    bool running = false;

    double since() const
    {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count();
    }

  public:
    void start()
    {
        begin = std::chrono::steady_clock::now();
        running = true;
    }
    void stop()
    {
        if (running) {
            total += since();
            sessions++;
        }
        running = false;
    }
    void reset()
    {
        total = 0;
        sessions = 0;
        begin = std::chrono::steady_clock::now();
    }
    float getTime() const
    {
        return (float)(running ? total + since() : total);
    }
    float getAverageTime() const
    {
        return sessions > 0 ? (float)(total / sessions) : 0;
    }
};
typedef StopWatchInterface StopWatchLinux;

inline bool sdkCreateTimer(StopWatchInterface **timer)
{
    *timer = new StopWatchInterface;
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface **timer)
{
    (*timer)->start();
    return true;
}
inline bool sdkStopTimer(StopWatchInterface **timer)
{
    (*timer)->stop();
    return true;
}
inline bool sdkResetTimer(StopWatchInterface **timer)
{
    (*timer)->reset();
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface **timer)
{
    return (*timer)->getTime();
}
inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->getAverageTime();
}

#endif
