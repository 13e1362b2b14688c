import { internalError } from '../../src/apiserver/sentences/call-sentence.ts';
import { behaves } from '../../src/apiserver/server-version.ts';
import type { AggregatedApiCallout } from '../../src/facts/callout.ts';

/**
 * The error that a client gets for a failed conversion of one stored object (GET, and the read before a
 * write): from 1.37 on, an object that cannot be decoded counts as corrupt, whatever the cause is
 * (apiserver/pkg/storage/etcd3/corrupt_obj_deleter.go, feature AllowUnsafeMalformedObjectDeletion).
 *
 * @param key of the object in etcd without the prefix: `/example.com/widgets/shop/one`.
 * @param revision of the object in etcd.
 */
export const storedObjectFailure = (
  sentence: string,
  key: string,
  revision: string,
  version?: string,
): string =>
  behaves(version, 'corrupt-object')
    ? internalError(
        `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=${revision}: ${sentence}`,
      )
    : sentence;

/** The URL of an APIService's availability check; its host is the resolved address. */
export const discoveryUrl = (callout: AggregatedApiCallout, address: string): string =>
  `https://${address}/${callout.group === '' ? 'api' : `apis/${callout.group}`}/${callout.version}`;
