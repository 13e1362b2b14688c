import { Flags } from '@oclif/core';

/** `-o` of commands that print one document or a text for people. */
export const documentOutputFlag = Flags.option({
  char: 'o',
  helpValue: 'json|yaml',
  options: ['json', 'yaml'] as const,
  description: 'one document instead of a text for people',
})();
