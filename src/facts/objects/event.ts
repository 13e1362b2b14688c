import type { Metadata } from './metadata.ts';

/** core/v1 Event. Old and new style: times may stand in either group of fields. */
export interface Event {
  readonly metadata: Metadata;
  readonly involvedObject: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly fieldPath?: string;
  };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
}

/** When the event was last seen, RFC 3339; undefined for an event that says no time. */
export const lastSeen = (event: Event): string | undefined =>
  event.series?.lastObservedTime ??
  event.lastTimestamp ??
  event.eventTime ??
  event.metadata.creationTimestamp;
