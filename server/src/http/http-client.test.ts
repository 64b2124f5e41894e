import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { createHttpClient, createPublicLookup } from './http-client.ts'

const noServers = {
  authority: undefined,
  identityProviders: [],
  entraClouds: [],
  connectors: [],
  meta: undefined,
  clients: [],
}

/** Creates httpClient requests for a test; `operator` is an address of the configuration. */
const outgoingWith = (operator: string, { publicUrl = 'https://id.example', ownAddress = operator } = {}) =>
  createHttpClient({ ...noServers, publicUrl, authority: operator, allowedPrivateHosts: [] }, ownAddress)

async function serve(respond: RequestListener) {
  const received: IncomingMessage[] = []
  const server = createServer((request, response) => {
    received.push(request)
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const readCause = (request: Promise<Response>) =>
  request.then(
    () => 'responded',
    (error: Error) => `${error.name} ${error.message}: ${(error.cause as Error).message}`,
  )

describe('a request to an address of the configuration', () => {
  it('sends method, headers and body, and returns status, headers and body', async () => {
    let sent = ''
    const { url: address, received } = await serve(async (request, response) => {
      for await (const chunk of request) sent += chunk
      response.writeHead(201, { 'x-kind': 'test', 'set-cookie': ['a=1', 'b=2'] }).end('made')
    })
    const response = await outgoingWith(address).fetch(`${address}/token?x=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ code: 'ü' }),
    })
    expect([response.status, response.headers.get('x-kind'), await response.text()]).toEqual([201, 'test', 'made'])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect([received[0]?.method, received[0]?.url, sent]).toEqual(['POST', '/token?x=1', 'code=%C3%BC'])
    expect(received[0]?.headers['accept-encoding']).toBe('identity')
  })

  it('ends after 15 seconds without a response', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    const ending = new AbortController()
    timeout.mockReturnValue(ending.signal)
    const { url: address, received } = await serve(() => {})
    const outcome = readCause(outgoingWith(address).fetch(address))
    await expect.poll(() => received.length).toBe(1)
    ending.abort(new Error('over'))
    expect(await outcome).toMatch(/^TypeError fetch failed: /)
    expect(timeout).toHaveBeenCalledWith(15_000)
  })

  it('ends after 5 seconds without a connection', async () => {
    const silent = createTcpServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onFileEnd(() => void silent.close())
    const connected = new Promise<void>((resolve) => silent.once('connection', () => resolve()))
    const address = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const outcome = readCause(outgoingWith(address).fetch(address))
    await connected
    vi.advanceTimersByTime(5000)
    expect(await outcome).toBe('TypeError fetch failed: no connection within 5000 ms')
  })

  it('does not follow a redirect', async () => {
    const { url: address, received } = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    )
    expect((await outgoingWith(address).fetch(address)).status).toBe(302)
    expect(received).toHaveLength(1)
  })

  it('rejects a response of more than 1 MiB and closes the connection', async () => {
    let isClosed: () => void
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve
    })
    const { url: address } = await serve((_request, response) => {
      response.on('close', () => isClosed())
      const chunk = Buffer.alloc(64 * 1024)
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', write)
      }
      write()
    })
    expect(await readCause(outgoingWith(address).fetch(address))).toBe(
      'TypeError fetch failed: the response is longer than 1048576 bytes',
    )
    await closed
  })

  it('rejects a compressed response, which could expand', async () => {
    const { url: address } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    )
    expect(await readCause(outgoingWith(address).fetch(address))).toContain('the response is compressed (gzip)')
  })

  it('ends when its signal is aborted', async () => {
    const { url: address } = await serve(() => aborting.abort(new Error('enough')))
    const aborting = new AbortController()
    await expect(outgoingWith(address).fetch(address, { signal: aborting.signal })).rejects.toThrow('enough')
  })

  it('rejects like fetch if there is no server', async () => {
    await expect(outgoingWith('http://127.0.0.1:1').fetch('http://127.0.0.1:1/')).rejects.toThrow(
      new TypeError('fetch failed'),
    )
  })
})

it('sends requests for the public origin to the own address, with the public host', async () => {
  const { url: address, received } = await serve((_request, response) => response.end('own'))
  const httpClient = outgoingWith('https://other.example', { publicUrl: 'https://id.example', ownAddress: address })
  expect(await (await httpClient.fetch('https://id.example/idp/jwks?x=1')).text()).toBe('own')
  expect([received[0]?.url, received[0]?.headers.host]).toEqual(['/idp/jwks?x=1', 'id.example'])
})

describe('a request to any other address', () => {
  it.for([
    ['plain http', 'http://127.0.0.1:{port}/', 'http://127.0.0.1:{port} is not https'],
    ['another port', 'https://127.0.0.1:{port}/', '127.0.0.1:{port} is not on port 443'],
    ['credentials', 'https://user:pass@example.com/', 'The URL of example.com contains credentials'],
    ['a private address', 'https://10.0.0.1/', '10.0.0.1 has the private address 10.0.0.1'],
    ['a private address of IPv6', 'https://[fd00::1]/', '[fd00::1] has the private address fd00::1'],
    ['a number that is a private address', 'https://2130706433/', '127.0.0.1 has the private address 127.0.0.1'],
    ['a name with a private address', 'https://localhost/', 'localhost has the private address'],
  ] as const)('is rejected with %s, without a connection', async ([, address, cause]) => {
    const server = await serve((_request, response) => response.end())
    const { port } = new URL(server.url)
    const httpClient = outgoingWith('http://127.0.0.1:1')
    expect(await readCause(httpClient.fetch(address.replace('{port}', port)))).toContain(
      cause.replaceAll('{port}', port),
    )
    expect(server.received).toEqual([])
  })

  it('reaches a private address that ALLOWED_PRIVATE_HOSTS lists with its port', async () => {
    let isConnected = false
    const server = createTcpServer((socket) => {
      isConnected = true
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onFileEnd(() => server.close())
    const host = `localhost:${(server.address() as AddressInfo).port}`
    const httpClient = createHttpClient(
      { ...noServers, publicUrl: 'https://id.example', allowedPrivateHosts: [host] },
      'http://127.0.0.1:1',
    )
    await readCause(httpClient.fetch(`https://${host}/`))
    expect(isConnected).toBe(true)
  })
})

/** Special-purpose blocks (IANA registries, RFC 6890), none of which contains public servers. */
const specialBlocks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::1/128',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001:db8::/32',
  '2002::/16',
  '4000::/3',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

const addressIn = (block: string) => {
  const [network, bits] = ipaddr.parseCIDR(block)
  const size = network.toByteArray().length
  return fc.uint8Array({ minLength: size, maxLength: size }).map((random) => {
    const bytes = network.toByteArray().map((byte, index) => {
      const fixed = Math.min(8, Math.max(0, bits - index * 8))
      const mask = (0xff << (8 - fixed)) & 0xff
      return (byte & mask) | ((random[index] ?? 0) & ~mask & 0xff)
    })
    return ipaddr.fromByteArray(bytes).toString()
  })
}

const urlOf = (address: string) => new URL(`https://${address.includes(':') ? `[${address}]` : address}/`)

it('rejects every address of a special-purpose block', () => {
  fc.assert(
    fc.property(fc.constantFrom(...specialBlocks).chain(addressIn), (address) => {
      expect(() => createPublicLookup(urlOf(address), [])).toThrow('has the private address')
    }),
  )
})

it('allows public addresses', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '93.184.216.34']) {
    expect(() => createPublicLookup(urlOf(address), [])).not.toThrow()
  }
})
