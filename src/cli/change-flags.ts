import { Flags } from '@oclif/core';
import { duration } from './duration-flag.ts';

/** Flags of every command that changes something. */
export const changeFlags = {
  output: Flags.option({
    char: 'o',
    helpValue: 'json|yaml',
    options: ['json', 'yaml'] as const,
    description: 'print one document, a ChangeReport',
  })(),
  yes: Flags.boolean({ char: 'y', description: 'answer the question with yes' }),
  'dry-run': Flags.option({
    options: ['client', 'server'] as const,
    helpValue: 'client|server',
    description: 'change nothing: client reads and shows; server lets the API server try it too',
  })(),
} as const;

/** The flag of commands that look whether somebody takes their change back at once. */
export const watchFlag = {
  watch: duration({
    default: 3000,
    defaultHelp: async () => '3s',
    description: 'how long to look whether somebody takes it back (a GitOps controller may need minutes)',
  }),
} as const;
