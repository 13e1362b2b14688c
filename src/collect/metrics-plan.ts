import type { Unread } from '../facts/unread.ts';

/** How /metrics is read. */
export interface MetricsPlan {
  /** Milliseconds between two readings; absent: one reading. */
  readonly sample?: number;
}

export const metricsNotRequested: Unread = { what: 'metrics of the API server', why: 'not-requested' };
