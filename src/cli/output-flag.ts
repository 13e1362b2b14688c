import { Flags } from '@oclif/core';
import { outputFormats, reportFormats } from '../render/render-report.ts';

/** `-o`, as kubectl has it. Without it: the output for people. */
export const outputFlag = Flags.option({
  char: 'o',
  helpValue: outputFormats.join('|'),
  options: outputFormats,
  description: 'json and yaml print one document; name prints what other commands take; wide tells more',
})();

/** `-o` of what prints doctor's report. */
export const reportOutputFlag = Flags.option({
  char: 'o',
  helpValue: 'FORMAT',
  options: reportFormats,
  description:
    'json and yaml print one document; name prints what other commands take; wide tells more; markdown, html, junit and sarif are reports to pass on',
})();
