import { goQuote } from '../certificate/go-quote.ts';

/** Bytes of a body that an error quotes at most (client-go/rest/request.go maxUnstructuredResponseTextBytes). */
export const quotedBytes = 2048;

const words: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/**
 * What an HTTP status outside 200–206 is called (apimachinery/pkg/api/errors NewGenericServerResponse).
 *
 * @param said the body, cut and trimmed; `unknown` where it is no text.
 */
export function httpError(status: number, said: string): string {
  const known = words[status];
  if (known !== undefined) return known;
  if (status === 403 || status === 415) return said;
  if (status === 406) {
    const silent = said === '' || said === 'unknown';
    return silent ? 'the server was unable to respond with a content type that the client supports' : said;
  }
  if (status >= 500)
    return `an error on the server (${goQuote(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
