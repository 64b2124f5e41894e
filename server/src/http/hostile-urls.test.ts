import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { maxModelBytes, maxPictureBytes } from '@passport/contract/avatar'
import * as client from 'openid-client'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOpenIdConnectors } from '../connections/openid-connector.ts'
import { probeKeys, readProvider } from '../health/probe-provider.ts'
import { connectTenants } from '../identity-providers/provider-clients.ts'
import { verifyJwtSignature } from '../identity-providers/provider-keys.ts'
import { createUpstreams } from '../identity-providers/upstreams.ts'
import { addUserInfo } from '../identity-providers/user-info.ts'
import { createModel } from '../profile/test-models.ts'
import { createForeignTokenReader } from '../provider/authority.ts'
import { deliverLogoutNotices } from '../provider/back-channel.ts'
import { cert, key } from '../test-certificate.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import type { PresentedToken } from './presented-token.ts'
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
const hostile = { tokenEndpoint: '', keys: '', userInfo: '' }
let service: TestService
let eve: Visitor
let privateUrl: string
let httpClient: HttpClient
/** What the server under `privateUrl` responds. */
let respond: RequestListener = () => {}

beforeAll(async () => {
  const issuer = await listen(
    createServer(({ url }, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(url === '/token' ? issueTokens() : describeProvider()))
    }),
  )
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
  service = await startTestService({
    IDENTITY_PROVIDERS: JSON.stringify([identityProvider]),
    ALLOWED_PRIVATE_HOSTS: `localhost:${port}`,
  })
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

const describeProvider = () => ({
  issuer: provider.endpoint,
  authorization_endpoint: `${provider.endpoint}/authorize`,
  token_endpoint: hostile.tokenEndpoint,
  jwks_uri: hostile.keys,
  userinfo_endpoint: hostile.userInfo,
})

/** Returns tokens whose signature can be checked only with keys of the metadata. */
function issueTokens() {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: provider.endpoint, aud: 'passport', sub: 'eve', iat: now, exp: now + 60 }
  const [header, payload] = [{ alg: 'RS256', kid: 'unknown' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return { access_token: 'x', token_type: 'bearer', id_token: `${header}.${payload}.AAAA` }
}

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

  test.for(hostileUrls)('%s as a picture or a model of an avatar', async (url) => {
    await service.sql`delete from rate_limits`
    const send = (method: string, path: string, type: string, body: string) =>
      eve.fetch(`/passport/profile/me/avatar${path}`, { method, headers: { 'content-type': type }, body })
    const responses = [
      await send('PUT', '/pngurl', 'text/plain', url),
      await send('PUT', '/glburl', 'text/plain', url),
      await send('POST', '', 'application/json', JSON.stringify({ pngUrl: url })),
      await send('POST', '', 'application/json', JSON.stringify({ glbUrl: url })),
    ]
    for (const response of responses) {
      const { code, detail } = (await response.json()) as { code: string; detail: string }
      expect(['400 avatar-url-refused', '502 avatar-fetch-failed']).toContain(`${response.status} ${code}`)
      expect(detail).not.toMatch(/private|address|connect/i)
    }
    expectNoAttempt()
  })

  test.for(hostileUrls)('%s in the metadata of a provider, a tenant, a connector or the authority', async (url) => {
    const { config, httpClient, sql } = service.services
    const registration = { id: 'harbour', issuer: provider.endpoint, clientId: 'passport', clientSecret: 'secret' }
    const upstreams = createUpstreams(config, httpClient)
    const harbour = upstreams.find('harbour')
    if (!harbour) throw new Error('Harbour ID is not configured')
    const connectors = createOpenIdConnectors(
      { connectors: [{ ...registration, kind: 'oidc', name: 'Harbour' }], publicUrl: config.publicUrl },
      httpClient,
    )
    const connect = async () => {
      const state = new URL(await connectors.begin('harbour', 'handle')).searchParams.get('state') ?? ''
      return connectors.redeem('harbour', 'handle', { code: 'x', state })
    }
    hostile.tokenEndpoint = url
    hostile.keys = `${provider.endpoint}/keys`
    for (const { configuration } of [await upstreams.connect(harbour), await connectTenants(httpClient)(registration)])
      await expect(client.clientCredentialsGrant(configuration)).rejects.toThrow()
    await expect(connect()).rejects.toThrow()

    // The signatures of tokens are checked with the keys under another URL.
    hostile.tokenEndpoint = `${provider.endpoint}/token`
    hostile.keys = url
    const verify = async () => {
      const { keys } = await createUpstreams(config, httpClient).connect(harbour)
      await verifyJwtSignature(keys, issueTokens().id_token)
    }
    await expect(verify()).rejects.toThrow()
    const readToken = createForeignTokenReader(sql, httpClient, provider.endpoint, 'passport')
    const token = { token: issueTokens().id_token } as PresentedToken
    expect(await readToken(token).catch(() => undefined)).toBeUndefined()
    const signal = AbortSignal.timeout(60_000)
    const metadata = await readProvider(httpClient, provider.endpoint, signal)
    await expect(probeKeys(httpClient, metadata, signal)).rejects.toThrow()

    hostile.keys = `${provider.endpoint}/keys`
    hostile.userInfo = url
    const party = await createUpstreams(config, httpClient).connect(harbour)
    await expect(addUserInfo(party, 'token', { sub: 'eve' })).rejects.toThrow('no response')
    expectNoAttempt()
  })

  test('all as addresses for back-channel logouts', async () => {
    const { sql } = service.services
    for (const [index, url] of hostileUrls.entries())
      await sql`
        insert into clients (client_id, name, grant_types, redirect_uris, backchannel_logout_uri, consent, source)
        values (${`hostile-${index}`}, 'Hostile', '{authorization_code}', '{https://shop.example/callback}', ${url},
          'once', 'console')`
    await sql`
      insert into logout_notices (client_id, account_id, sid)
      select client_id, ${eve.id}, 'session' from clients where client_id like 'hostile-%'`
    await deliverLogoutNotices(service.services)
    // The service delivers notices too, as the database notifies it of them.
    await expect
      .poll(async () => [...(await sql`select distinct attempts, count(*)::integer from logout_notices group by 1`)])
      .toEqual([{ attempts: 1, count: hostileUrls.length }])
    expectNoAttempt()
  })
})

test('every file that sends requests is covered above or by its own tests, or has URLs of the configuration only', () => {
  const folder = new URL('../', import.meta.url)
  const senders = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|test-/.test(file))
    .filter((file) => /httpClient\s*\.(?:fetch|download)\b/.test(readFileSync(new URL(file, folder), 'utf8')))
  const ofConfiguration = [
    'connections/meta.ts',
    'entra/clouds.ts',
    'entra/graph.ts',
    'marketplace/simulator.ts',
    'provider/sign-in-test.ts',
  ]
  // `inbox.test.ts` covers the hosts of its URLs.
  const ofSns = ['marketplace/sns.ts']
  const covered = [
    'health/probe-provider.ts',
    'identity-providers/provider-clients.ts',
    'identity-providers/user-info.ts',
    'profile/read-file.ts',
    'provider/authority.ts',
    'provider/back-channel.ts',
  ]
  expect(senders.toSorted()).toEqual([...ofConfiguration, ...ofSns, ...covered].toSorted())
})

describe('an import of an avatar', () => {
  const put = (kind: 'pngurl' | 'glburl') =>
    eve.fetch(`/passport/profile/me/avatar/${kind}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ [kind]: `${privateUrl}/file` }),
    })
  const serveFile = (file: Uint8Array) => {
    const requests: string[] = []
    respond = ({ url = '' }, response) => {
      requests.push(url)
      if (url === '/file') response.writeHead(302, { location: '/moved' }).end()
      else response.end(file)
    }
    return requests
  }
  beforeEach(async () => void (await service.sql`delete from rate_limits`))

  test('downloads a file once, and returns the URL of the copy on this server', async () => {
    const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'navy' } })
      .webp()
      .toBuffer()
    for (const [kind, file, type] of [
      ['pngurl', picture, 'image/png'],
      ['glburl', createModel(), 'model/gltf-binary'],
    ] as const) {
      const requests = serveFile(file)
      const response = await put(kind)
      const { [kind]: url = '' } = (await response.json()) as Record<string, string>
      expect([response.status, url]).toEqual([200, expect.stringContaining(`${service.url}/passport/media/avatars/`)])
      expect((await fetch(url)).headers.get('content-type')).toBe(type)
      expect(requests).toEqual(['/file', '/moved'])
    }
    const avatar = await (await eve.fetch('/passport/profile/me/avatar')).json()
    expect(avatar).toMatchObject({ pngSource: 'url', glbSource: 'url', source: 'url' })
  })

  test('is rejected like an upload for an invalid file, and with one sentence for any failed download', async () => {
    serveFile(Buffer.from('<html></html>'))
    expect(await (await put('pngurl')).json()).toMatchObject({ status: 400, code: 'avatar-invalid' })
    for (const size of [maxPictureBytes + 1, maxModelBytes + 1]) {
      serveFile(Buffer.alloc(size))
      const kind = size > maxModelBytes ? 'glburl' : 'pngurl'
      expect(await (await put(kind)).json()).toMatchObject({ status: 502, code: 'avatar-fetch-failed' })
    }
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
