import type { Metadata } from '../../../facts/objects/metadata.ts';
import type { Job } from '../../../facts/objects/pod-controller.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { isRead, metadataOfAll } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';
import { backendFacts } from '../../suspect-backends.ts';
import { certificatesInQuestion } from '../../suspect-certificates.ts';

/** Collects Jobs: charts use them to create certificates and to write the CA into the caBundle. */
export const jobs = defineCollector({
  fact: 'jobs',
  needs: [...backendFacts, 'pods'],
  permissions: [toRead(resources.Job, ['list'], 'backends', 'the Job that writes certificate and caBundle')],
  atMost: 10,
  otherwise: 'Jobs of a namespace whose certificates are not suspected',
  wants: certificatesInQuestion,
  readEach: (access, namespace) => access.list<Job>(resources.Job, { namespace }),
});

/**
 * Collects ConfigMaps that are owned by a Pod: locks of a leader that remains the leader until its Pod is
 * deleted (operator-sdk's leader-for-life). Their data is not read.
 */
export const podConfigMaps = defineCollector({
  fact: 'podConfigMaps',
  needs: [...backendFacts, 'pods'],
  permissions: [
    toRead(resources.ConfigMap, ['list'], 'backends', 'locks that a deleted Pod still holds (metadata)'),
  ],
  atMost: 10,
  otherwise: 'ConfigMaps of a namespace whose certificates are not suspected',
  wants: certificatesInQuestion,
  async readEach(access, namespace) {
    const where = { namespace, accept: metadataOfAll };
    const reading = await access.list<{ readonly metadata: Metadata }>(resources.ConfigMap, where);
    if (!isRead(reading)) return reading;
    const all = reading.value.map(({ metadata }) => metadata);
    return {
      value: all.filter(({ ownerReferences }) => ownerReferences?.some(({ kind }) => kind === 'Pod')),
    };
  },
});
