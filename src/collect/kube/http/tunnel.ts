import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { percentDecoded } from '../../../basics/url.ts';
import { basic } from '../credentials/credential.ts';
import { connectTimeout } from './exchange.ts';

/** The proxy refused or failed the request, or is no proxy. The message names it without its password. */
export class ProxyError extends Error {
  constructor(proxy: URL, what: string, cause?: unknown) {
    super(`the proxy ${proxy.protocol}//${proxy.host} ${what}`, cause === undefined ? undefined : { cause });
    this.name = 'ProxyError';
  }
}

/** How an https proxy is verified: Go uses the cluster's own CAs for it. */
export interface ProxyTrust {
  readonly ca: readonly string[] | undefined;
  readonly rejectUnauthorized: boolean;
}

/** Opens a raw connection to `host`:`port` through an http, https or socks5 proxy. */
export function openTunnel(proxy: URL, host: string, port: number, trust: ProxyTrust): Promise<Socket> {
  return proxy.protocol.startsWith('socks') ? socks(proxy, host, port) : connect(proxy, host, port, trust);
}

/** The value of Proxy-Authorization; undefined for a proxy without a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  return basic(percentDecoded(proxy.username), percentDecoded(proxy.password));
}

function connect(proxy: URL, host: string, port: number, trust: ProxyTrust): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? https : http).request({
      method: 'CONNECT',
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      path: target,
      headers: { host: target, ...(authorization ? { 'proxy-authorization': authorization } : {}) },
      agent: false,
      rejectUnauthorized: trust.rejectUnauthorized,
      ...(trust.ca ? { ca: [...trust.ca] } : {}),
    });
    request.once('connect', (response, socket: Socket) => {
      socket.setTimeout(0);
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new ProxyError(proxy, `refused the connection to ${target}: HTTP ${response.statusCode}`));
    });
    // A response to CONNECT as to an ordinary request: from a web server, not a proxy.
    request.once('response', (response) => {
      response.destroy();
      reject(new ProxyError(proxy, `refused the connection to ${target}: HTTP ${response.statusCode}`));
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      reject(new ProxyError(proxy, `cannot be reached: ${error.code ?? error.message}`, error)),
    );
    request.setTimeout(connectTimeout, () => {
      request.destroy(Object.assign(new Error('no response'), { code: 'ETIMEDOUT' }));
    });
    request.end();
  });
}

async function socks(proxy: URL, host: string, port: number): Promise<Socket> {
  const { SocksClient } = await import('socks');
  try {
    const { socket } = await SocksClient.createConnection({
      command: 'connect',
      timeout: connectTimeout,
      destination: { host, port },
      proxy: {
        type: 5,
        host: proxy.hostname.replace(/^\[|\]$/g, ''),
        port: Number(proxy.port || 1080),
        ...(proxy.username === ''
          ? {}
          : { userId: percentDecoded(proxy.username), password: percentDecoded(proxy.password) }),
      },
    });
    return socket;
  } catch (error) {
    throw new ProxyError(
      proxy,
      `did not open the connection to ${host}:${port}: ${(error as Error).message}`,
    );
  }
}
