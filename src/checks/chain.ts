/** Worst first. */
export const severities = ['error', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** The lowest severity that sets exit code 1; `never`: no finding does. */
export type FailOn = 'error' | 'warning' | 'never';

/** The severities that set exit code 1. */
export const atOrAbove: Readonly<Record<FailOn, readonly Severity[]>> = {
  error: ['error'],
  warning: ['error', 'warning'],
  never: [],
};

/** The links of the chain, in the order in which a call passes them; a cause is at exactly one link. */
export const chainLinks = [
  'registration',
  'routing',
  'backend',
  'replica',
  'tls',
  'response',
  'network',
  'scope',
  'failure-policy',
  'effect',
  'ownership',
  'practice',
] as const;
export type ChainLink = (typeof chainLinks)[number];

/** The links at which a finding is a risk: nothing fails now. */
export const riskLinks: readonly ChainLink[] = ['scope', 'failure-policy', 'practice'];

/** The links in the order in which warnings are read: running Pods, past effects, the registration, its writers, risks. */
export const warningOrder: readonly ChainLink[] = [
  'routing',
  'backend',
  'replica',
  'tls',
  'response',
  'network',
  'effect',
  'registration',
  'ownership',
  ...riskLinks,
];
