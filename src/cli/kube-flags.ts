import { Flags } from '@oclif/core';

const kubectl = 'KUBECTL';

/** kubectl's own connection flags, with kubectl's names and meaning. */
export const kubeFlags = {
  kubeconfig: Flags.string({
    helpGroup: kubectl,
    helpValue: 'FILE',
    description: 'path of the kubeconfig file to use',
  }),
  context: Flags.string({ helpGroup: kubectl, helpValue: 'NAME', description: 'kubeconfig context to use' }),
  cluster: Flags.string({ helpGroup: kubectl, helpValue: 'NAME', description: 'kubeconfig cluster to use' }),
  user: Flags.string({ helpGroup: kubectl, helpValue: 'NAME', description: 'kubeconfig user to use' }),
  namespace: Flags.string({
    helpGroup: kubectl,
    char: 'n',
    helpValue: 'NAME',
    description: 'namespace of this request (webhooks are cluster-wide: rarely needed)',
  }),
  server: Flags.string({
    helpGroup: kubectl,
    char: 's',
    helpValue: 'URL',
    description: 'address of the API server',
  }),
  token: Flags.string({
    helpGroup: kubectl,
    helpValue: 'TOKEN',
    description: 'bearer token for the API server',
  }),
  as: Flags.string({ helpGroup: kubectl, helpValue: 'USER', description: 'user to impersonate' }),
  'as-group': Flags.string({
    helpGroup: kubectl,
    helpValue: 'GROUP',
    multiple: true,
    multipleNonGreedy: true,
    description: 'group to impersonate, may be repeated',
  }),
  'as-uid': Flags.string({ helpGroup: kubectl, helpValue: 'UID', description: 'UID to impersonate' }),
  'certificate-authority': Flags.string({
    helpGroup: kubectl,
    helpValue: 'FILE',
    description: 'certificate authority of the API server',
  }),
  'client-certificate': Flags.string({
    helpGroup: kubectl,
    helpValue: 'FILE',
    description: 'client certificate for TLS',
  }),
  'client-key': Flags.string({ helpGroup: kubectl, helpValue: 'FILE', description: 'client key for TLS' }),
  'tls-server-name': Flags.string({
    helpGroup: kubectl,
    helpValue: 'NAME',
    description: 'name to check the API server certificate against',
  }),
  'insecure-skip-tls-verify': Flags.boolean({
    helpGroup: kubectl,
    allowNo: true,
    description: 'do not verify the API server certificate',
  }),
  'request-timeout': Flags.string({
    helpGroup: kubectl,
    helpValue: 'DURATION',
    description: 'longest wait for one request (1s, 2m); 0 waits without end',
  }),
} as const;

/** `-v`: 6 and more prints every request to stderr, never with credentials. */
export const verbosity = Flags.integer({
  char: 'v',
  helpGroup: kubectl,
  helpValue: 'LEVEL',
  min: 0,
  max: 10,
  default: 0,
  description: 'log verbosity: 6 prints each request to stderr',
});
