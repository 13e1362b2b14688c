/** A fraction of the time. */
const mostlyBusy = 0.5;

/**
 * Runs at most `limit` tasks at a time; the others wait in order. A task that takes longer than `patience`
 * (milliseconds, optional) no longer counts, so that a hanging task does not block the others. It still
 * counts if this process was busy for most of that time: then nothing hangs, and more tasks would need more
 * memory and time.
 */
export function slots(limit: number, patience?: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    let held = true;
    const free = (): void => {
      if (held) release();
      held = false;
    };
    let timer: NodeJS.Timeout | undefined;
    const wait = (): void => {
      const before = performance.eventLoopUtilization();
      timer = setTimeout(() => {
        if (performance.eventLoopUtilization(before).utilization > mostlyBusy) wait();
        else free();
      }, patience);
    };
    if (patience !== undefined) wait();
    try {
      return await task();
    } finally {
      clearTimeout(timer);
      free();
    }
  };
}
