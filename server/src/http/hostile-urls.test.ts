import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as client from 'openid-client'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createUpstreams } from '../identity-providers/upstreams.ts'
import { deliverLogoutNotices } from '../provider/back-channel.ts'
import { cert, key } from '../test-certificate.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { hostileUrls } from './test-hostile-urls.ts'

// Every feature that sends requests to a URL that a user or another server chose, with URLs into the own network.

/** The addresses to which this process tried to connect, without those of the test itself. */
const attempts: string[] = []
const ownPorts = new Set<number>()
const recordSocket = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  // The sockets of the database have no port.
  socket.on('connectionAttempt', (ip, port) => {
    if (port !== undefined && !ownPorts.has(port)) attempts.push(`${ip}:${port}`)
  })
}
subscribe('net.client.socket', recordSocket)
onFileEnd(() => void unsubscribe('net.client.socket', recordSocket))

const provider = { endpoint: '' }
let service: TestService
let eve: Visitor
let privateUrl: string
let httpClient: HttpClient
/** What the server under `privateUrl` responds. */
let respond: RequestListener = () => {}

beforeAll(async () => {
  const issuer = await listen(createServer((_request, response) => response.end(JSON.stringify(describeProvider()))))
  provider.endpoint = `http://127.0.0.1:${issuer}`
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  onFileEnd(() => setDefaultCACertificates(trusted))
  const port = await listen(createTlsServer({ key, cert }, (request, response) => respond(request, response)))
  privateUrl = `https://localhost:${port}`
  const identityProvider = {
    id: 'harbour',
    kind: 'oidc',
    name: 'Harbour',
    issuer: provider.endpoint,
    clientId: 'passport',
    clientSecret: 'secret',
  }
  service = await startTestService({ IDENTITY_PROVIDERS: JSON.stringify([identityProvider]) })
  ownPorts.add(Number(new URL(service.url).port))
  eve = await service.as('eve')
  httpClient = createHttpClient(
    {
      publicUrl: 'https://id.example',
      authority: undefined,
      identityProviders: [],
      entraClouds: [],
      connectors: [],
      meta: undefined,
      clients: [],
      allowedPrivateHosts: [`localhost:${port}`],
    },
    'http://127.0.0.1:1',
  )
})

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  ownPorts.add(port)
  return port
}

let hostileEndpoint = ''
const describeProvider = () => ({ issuer: provider.endpoint, token_endpoint: hostileEndpoint })

test('there are at least 40 hostile URLs', () => expect(new Set(hostileUrls).size).toBeGreaterThanOrEqual(40))

beforeEach(() => {
  attempts.length = 0
})

describe('a hostile URL is refused without a connection', () => {
  const expectNoAttempt = () => expect(attempts).toEqual([])

  test.for(hostileUrls)('%s as a request or a download', async (url) => {
    await expect(httpClient.fetch(url)).rejects.toThrow()
    await expect(httpClient.download(url, { maxBytes: 100 })).rejects.toThrow()
    expectNoAttempt()
  })

  test.for(hostileUrls)('%s after a redirect', async (url) => {
    let count = 0
    respond = (_request, response) => {
      count++
      response.writeHead(302, { location: new URL(url).href }).end()
    }
    await expect(httpClient.download(privateUrl, { maxBytes: 100 })).rejects.toThrow()
    expect(count).toBe(1)
    expectNoAttempt()
  })

  test.for(hostileUrls)('%s as an avatar', async (url) => {
    await service.sql`delete from rate_limits`
    const headers = { 'content-type': 'text/plain' }
    const path = '/passport/profile/me/avatar/pngurl'
    const response = await eve.fetch(path, { method: 'PUT', headers, body: url })
    const { code, detail } = (await response.json()) as { code: string; detail: string }
    expect(['400 avatar-url-refused', '502 avatar-fetch-failed']).toContain(`${response.status} ${code}`)
    expect(detail).not.toMatch(/private|address|connect/i)
    expectNoAttempt()
  })

  test.for(hostileUrls)('%s as the token endpoint of an identity provider', async (url) => {
    hostileEndpoint = url
    const { config, vault } = service.services
    const upstreams = createUpstreams(config, vault, service.services.httpClient)
    const harbour = upstreams.find('harbour')
    if (!harbour) throw new Error('Harbour ID is not configured')
    const configuration = await upstreams.connect(harbour)
    await expect(client.clientCredentialsGrant(configuration)).rejects.toThrow()
    expectNoAttempt()
  })

  test('all as addresses for back-channel logouts', async () => {
    const { sql, issuer, log } = service.services
    for (const [index, url] of hostileUrls.entries())
      await sql`
        insert into clients (client_id, name, grant_types, redirect_uris, backchannel_logout_uri, consent, source)
        values (${`hostile-${index}`}, 'Hostile', '{authorization_code}', '{https://shop.example/callback}', ${url},
          'once', 'console')`
    await sql`
      insert into logout_notices (client_id, account_id, sid)
      select client_id, ${eve.id}, 'session' from clients where client_id like 'hostile-%'`
    await deliverLogoutNotices(sql, issuer, log)
    // The service delivers notices too, as the database notifies it of them.
    await expect
      .poll(async () => [...(await sql`select distinct attempts, count(*)::integer from logout_notices group by 1`)])
      .toEqual([{ attempts: 1, count: hostileUrls.length }])
    expectNoAttempt()
  })
})

describe('a download', () => {
  const download = (path = '/') => httpClient.download(privateUrl + path, { maxBytes: 1000 })

  test('has exactly the bytes of the response, up to the limit', async () => {
    for (const [size, isAllowed] of [
      [999, true],
      [1000, true],
      [1001, false],
    ] as const) {
      respond = (_request, response) => response.end(Buffer.alloc(size, 7))
      const downloaded = download().then(
        ({ length }) => length,
        () => 'rejected',
      )
      expect(await downloaded).toBe(isAllowed ? size : 'rejected')
    }
  })

  test('follows two redirects and no third', async () => {
    respond = ({ url = '' }, response) => {
      const left = Number(url.slice(1))
      if (left === 0) response.end('arrived')
      else response.writeHead(307, { location: `/${left - 1}` }).end()
    }
    expect(Buffer.from(await download('/2')).toString()).toBe('arrived')
    await expect(download('/3')).rejects.toThrow('responds with 307')
  })

  test('sends no cookies, and accepts no compressed response', async () => {
    const received: unknown[] = []
    respond = ({ url, headers }, response) => {
      received.push(headers.cookie)
      if (url === '/') response.writeHead(302, { location: '/file', 'set-cookie': 'a=1' }).end()
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    }
    await expect(download()).rejects.toThrow('compressed')
    expect(received).toEqual([undefined, undefined])
  })

  test('is rejected for any status but 200, and from this server itself', async () => {
    for (const status of [201, 204, 206, 404, 500]) {
      respond = (_request, response) => response.writeHead(status).end()
      await expect(download()).rejects.toThrow(String(status))
    }
    await expect(httpClient.download('https://id.example/x', { maxBytes: 1 })).rejects.toThrow('this server')
  })
})
