import type { CallError } from '../apiserver/sentences/call-error/call-error.ts';
import type { ComponentText, KnownText } from '../apiserver/sentences/component-texts/component-texts.ts';
import type { DenialReason } from '../apiserver/sentences/component-texts/denial-reasons.ts';

/** Texts about a Pod that does not run, which explain calls that find no Pod. */
export const brokenPods = [
  'out-of-memory',
  'image-pull',
  'unschedulable',
  'volume-not-mounted',
  'certificate-secret-missing',
  'crash-loop',
] as const;
/** What a text shows about a Pod that does not run. */
export type BrokenPod = (typeof brokenPods)[number];

/** A recognised record of a pasted text: a failed call, or a message of a component about one. */
export type RecognisedRecord =
  | {
      readonly of: 'call';
      readonly text: string;
      readonly error: CallError;
      /**
       * The call was for the creation of a Pod: `own` if in the namespace of the backend, or if it is another request
       * without which the backend does not start; `any` if unknown.
       */
      readonly refusedPod?: 'own' | 'other' | 'any';
      /** The request renews a Lease or the status of a node. */
      readonly isHeartbeat?: true;
      /** A client such as kubectl or Helm requests an object that is not a Pod. */
      readonly isOfClient?: true;
      /** A client creates an object that belongs to an installation, such as an Issuer. */
      readonly isCreation?: true;
      readonly reason?: DenialReason;
      /**
       * What other records show: calls to several backends end with the same error, a client connects to a server
       * and ends the TLS handshake, calls to one backend are cut and then refused, or a webhook denies several
       * requests with the same message, or a Pod of the backend is broken.
       */
      readonly context?:
        | 'several-backends'
        | 'response-timeout'
        | 'backend-replaced'
        | 'denies-several'
        | BrokenPod;
      /** A Pod is broken that may be one of the backend: of its namespace, or with a similar name. */
      readonly nearby?: BrokenPod;
      /** What the input says about the circumstances. */
      readonly circumstances?: readonly KnownText[];
      /** The record contains only the end of a call error, and names neither the API server nor a webhook. */
      readonly isFragment?: true;
    }
  | {
      readonly of: 'component';
      readonly text: string;
      readonly component: ComponentText;
      /** The call error that the message quotes; it names the webhook. */
      readonly error?: CallError;
      /** What the input says about the circumstances. */
      readonly circumstances?: readonly KnownText[];
    };

/** A failed call. */
export type RecognisedCall = Extract<RecognisedRecord, { readonly of: 'call' }>;
