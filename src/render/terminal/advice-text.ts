/**
 * Advice for a terminal: a command that ends a clause (`…: `kubectl …`;`) gets a line of its own, without backticks, to
 * be copied. One inside a sentence stays there, unbroken.
 */
export const adviceText = (advice: string): string =>
  advice
    .replace(
      /(^|\n|: )`(kubectl [^`\n]+)`(?:[.;,]\s*|\s*$)/g,
      (_, before: string, command: string) => `${before.trimEnd()}\n  ${command}\n`,
    )
    .replace(/^\n|\n$/g, '');
