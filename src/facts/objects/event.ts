import { newestFirst } from '../../basics/time.ts';
import type { Metadata } from './metadata.ts';

/** core/v1 Event. Events of the old and the new API have their times in different fields. */
export interface Event {
  readonly metadata: Metadata;
  readonly involvedObject: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    /** The container that an event is about: `spec.containers{webhook}`. */
    readonly fieldPath?: string;
  };
  /** Another object of the event: the preemptor of a Pod that was preempted. */
  readonly related?: { readonly kind?: string; readonly namespace?: string; readonly name?: string } | null;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string };
}

/** When the event was last observed, RFC 3339; undefined if it has no time. */
export const lastSeen = (event: Event): string | undefined =>
  event.series?.lastObservedTime ??
  event.lastTimestamp ??
  event.eventTime ??
  event.metadata.creationTimestamp;

/** The Events, by the last time that each was seen. */
export const newestEventsFirst = (events: readonly Event[]): Event[] => newestFirst(events, lastSeen);
