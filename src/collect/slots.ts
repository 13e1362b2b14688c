/**
 * At most `limit` tasks at a time, the others wait in their order. A task that takes longer than `patience`
 * (milliseconds), where one is told, no longer counts: what hangs must not hold up the others.
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
    const timer = patience === undefined ? undefined : setTimeout(free, patience);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
      free();
    }
  };
}
