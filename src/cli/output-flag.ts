import { Flags } from '@oclif/core';
import { type OutputFormat, outputFormats } from '../render/render-report.ts';

export type { OutputFormat };

/** `-o`, as kubectl has it. Without it: the output for people. */
export const outputFlag = Flags.option({
  char: 'o',
  helpValue: outputFormats.join('|'),
  options: outputFormats,
  description: 'json and yaml print one document; name prints what other commands take; wide tells more',
})();
