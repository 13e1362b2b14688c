import { Flags } from '@oclif/core';
import { certificateFormats } from '../render/render-certificate-report.ts';

/** `-o` of cert-check. Without it: the table for people. */
export const certificateOutputFlag = Flags.option({
  char: 'o',
  helpValue: 'FORMAT',
  options: certificateFormats,
  description:
    'json and yaml print one document; name prints what other commands take; wide adds serials, fingerprints, names and chains; ics is a calendar, junit for CI',
})();
