import { Flags } from '@oclif/core';

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
