import { responseNotAReview } from '../../../src/checks/response/response-not-a-review.ts';
import { describeFault, http, json, responding, tried } from '../probed.ts';

const page = http(200, '<html></html>');

describeFault(
  responseNotAReview,
  page,
  [],
  [
    {
      name: 'a page, in place of the error about its first characters',
      facts: tried([page]),
      expect: {
        messageId: 'all',
        data: {
          replicas: 'Pod policy-1',
          port: 8443,
          path: '/validate',
          bad: 1,
          total: 1,
          detail: 'an HTML page',
        },
      },
    },
    {
      name: 'a review in which a number is a string',
      facts: tried([
        responding(
          json({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid: 'uid', allowed: false, status: { code: '403' } },
          }),
        ),
      ]),
      expect: { messageId: 'mistyped' },
    },
    {
      name: 'a review that has no response, as of a server that returns what it gets',
      facts: tried([
        responding(json({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: {} })),
      ]),
      expect: { messageId: 'absent' },
    },
    {
      name: 'a text that is JSON',
      facts: tried([http(200, '"ok"')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'a compressed body that was not requested',
      facts: tried([
        responding({ status: 200, headers: { 'content-encoding': 'br' }, body: Buffer.from([139, 2, 128]) }),
      ]),
      expect: {
        messageId: 'all',
        data: {
          replicas: 'Pod policy-1',
          port: 8443,
          path: '/validate',
          bad: 1,
          total: 1,
          detail: 'Content-Encoding br, which was not requested',
        },
      },
    },
  ],
);
