/** The exit code of a program that Ctrl-C ended: 128 + SIGINT. */
export const interruptedExitCode = 130;

const handlers: (() => void)[] = [];
let interrupts = 0;

/** From now on Ctrl-C ends the program with 130, unless a handler took over; the second Ctrl-C always ends it. */
export function exitOnInterrupt(): void {
  process.on('SIGINT', () => {
    interrupts += 1;
    const handler = handlers.at(-1);
    if (handler === undefined || interrupts > 1) process.exit(interruptedExitCode);
    handler();
  });
}

/**
 * While there is something to finish or to ask, `handler` answers the first Ctrl-C instead (the newest one wins).
 * Returns the function that takes it back.
 */
export function onInterrupt(handler: () => void): () => void {
  // An earlier one was answered.
  interrupts = 0;
  handlers.push(handler);
  return () => {
    const at = handlers.lastIndexOf(handler);
    if (at >= 0) handlers.splice(at, 1);
  };
}
