import type { Case } from './case.ts';
import { heldPods } from './held-pods.ts';
import { hostedByUrl } from './hosted-by-url.ts';
import { injectorGone } from './injector-gone.ts';
import { jobBlocked } from './job-blocked.ts';
import { leaderGatedProvider } from './leader-gated-provider.ts';
import { networkAndPolicyDown } from './network-and-policy-down.ts';
import { uncheckedDuringRollout } from './unchecked-during-rollout.ts';

/** Outages that happened, in the order of the pages' index. */
export const cases: readonly Case[] = [
  leaderGatedProvider,
  hostedByUrl,
  injectorGone,
  jobBlocked,
  networkAndPolicyDown,
  uncheckedDuringRollout,
  heldPods,
];
