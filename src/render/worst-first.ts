import type { CalloutState, Effect, FindingReport } from '../diagnose/report.ts';

/** Order of states in every list: what is broken first. */
export const states: readonly CalloutState[] = ['failing', 'degraded', 'unknown', 'healthy'];

export const severities: readonly FindingReport['severity'][] = ['error', 'warning', 'info'];

/** Order of effects among callouts of one state: what stops people first. */
export const effects: readonly Effect[] = ['blocks', 'fails-open', 'none'];
