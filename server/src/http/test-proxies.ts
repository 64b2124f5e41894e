import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { SendRequest } from '@passport/world/browser'
import { findFreePort } from '@passport/world/port'
import { expect } from 'vitest'
import { readGuideText } from '../docs/test-guide.ts'
import { cert, key } from '../test-certificate.ts'

// Runs the proxies of the guide with its lines, in which only the addresses, the certificate and the number of servers
// differ.

/** The settings of the servers behind the proxies. */
export const proxySettings = { PUBLIC_URL: 'https://id.example', TRUSTED_PROXIES: '127.0.0.1' }

export const proxyNames = ['HAProxy', 'nginx', 'Caddy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface RunningProxy {
  /** Creates a client with an address of this machine, which is not that of the proxy: 127.0.0.2 to 127.255.255.254. */
  connect: (address: string) => ProxyClient
  stop: () => Promise<void>
}

interface ProxyClient {
  /** Sends a request to the proxy, whatever the host of the URL is. */
  send: SendRequest
  /** Closes its connections. */
  close: () => void
}

/** The server of a proxy: an address and a port. */
type Server = `${string}:${number}`

interface Proxy {
  program: string
  /** Returns the arguments that check the version. */
  versionArguments: string[]
  /** Writes the configuration to a directory; returns the arguments. */
  configure: (directory: string, port: number, servers: Server[]) => string[]
}

const guide = readGuideText('behind-a-proxy')

/** Returns the configuration below the heading of a proxy. */
function readConfiguration(name: ProxyName): string {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, code = '']) => code)
  expect(blocks).toHaveLength(1)
  return blocks[0] ?? ''
}

/** Returns a setting that the guide has in its text, by its name. */
function readSetting(name: string): string {
  const [, setting = ''] = new RegExp(`\`(${name} [^\`]+)\``).exec(guide) ?? []
  expect(setting).not.toBe('')
  return setting
}

/** Replaces a part that the guide must have. */
function replace(text: string, part: string | RegExp, replacement: string): string {
  expect(text).toMatch(part)
  return text.replace(part, () => replacement)
}

const proxies: Record<ProxyName, Proxy> = {
  HAProxy: {
    program: 'haproxy',
    versionArguments: ['-v'],
    configure: (directory, port, servers) => {
      writeFileSync(join(directory, 'id.example.pem'), `${cert}\n${key}\n`)
      let text = readConfiguration('HAProxy')
      text = replace(text, 'bind :443', `bind 127.0.0.1:${port}`)
      text = replace(text, '/etc/haproxy/', `${directory}/`)
      const lines = servers.map((server, index) => `  server number-${index} ${server}\n`)
      text = replace(text, /(?:^ {2}server \S+ 10\.0\.0\.\d:3000\n)+/m, lines.join(''))
      const file = join(directory, 'haproxy.cfg')
      writeFileSync(file, `global\n  ${readSetting('tune\\.bufsize')}\n${text}`)
      return ['-db', '-f', file]
    },
  },
  nginx: {
    program: 'nginx',
    versionArguments: ['-v'],
    configure: (directory, port, [server]) => {
      writeFileSync(join(directory, 'cert.pem'), cert)
      writeFileSync(join(directory, 'key.pem'), key)
      const location = replace(readConfiguration('nginx'), '10.0.0.5:3000', String(server))
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const file = join(directory, 'nginx.conf')
      writeFileSync(
        file,
        `daemon off; master_process off; error_log stderr; pid ${directory}/pid;
events {}
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${directory}/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${port} ssl;
    server_name id.example;
    ssl_certificate ${directory}/cert.pem;
    ssl_certificate_key ${directory}/key.pem;
    ${readSetting('large_client_header_buffers')};
    ${location}
  }
}
`,
      )
      return ['-c', file, '-p', directory, '-e', 'stderr']
    },
  },
  Caddy: {
    program: 'caddy',
    versionArguments: ['version'],
    configure: (directory, port, servers) => {
      let text = readConfiguration('Caddy')
      text = replace(text, /^id\.example \{/m, `https://id.example:${port} {`)
      text = replace(text, /10\.0\.0\.5:3000( 10\.0\.0\.\d:3000)*/, servers.join(' '))
      const file = join(directory, 'Caddyfile')
      const options = ['admin off', 'auto_https disable_redirects', 'local_certs', 'skip_install_trust']
      writeFileSync(
        file,
        `{\n  ${options.join('\n  ')}\n  default_bind 127.0.0.1\n  storage file_system ${directory}\n}\n${text}`,
      )
      return ['run', '--config', file, '--adapter', 'caddyfile']
    },
  },
}

/** Reports whether a proxy is installed, and says so if it is not. */
export function isProxyInstalled(name: ProxyName): boolean {
  const { program, versionArguments } = proxies[name]
  const isInstalled = spawnSync(program, versionArguments).status === 0
  if (!isInstalled) console.warn(`Skipped: ${name} is not installed.`)
  return isInstalled
}

/** Starts a proxy in front of servers, and waits until it passes requests on to one of them. */
export async function startProxy(name: ProxyName, servers: Server[]): Promise<RunningProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'passport-proxy-'))
  const port = await findFreePort()
  const { program, configure } = proxies[name]
  const child = spawn(program, configure(directory, port, servers), {
    env: { PATH: process.env['PATH'], HOME: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
    })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(directory, { recursive: true })
  }
  const probe = connectTo(port, '127.0.0.2')
  const readStatus = () =>
    probe
      .send(new URL('/healthz', proxySettings.PUBLIC_URL), { headers: {} })
      .then(({ status }) => status)
      .catch((error: Error) => `${error.message}\n${output}`)
  await expect
    .poll(readStatus, { timeout: 30_000 })
    .toBe(200)
    .catch(async (error) => {
      await stop()
      throw error
    })
  probe.close()
  return { connect: (address) => connectTo(port, address), stop }
}

function connectTo(port: number, address: string): ProxyClient {
  const agent = new Agent({ keepAlive: true, servername: 'id.example', rejectUnauthorized: false })
  const send: SendRequest = (url, { method = 'GET', headers, body }) =>
    new Promise((resolve, reject) => {
      const content = typeof body === 'string' ? body : ''
      const options = {
        ...{ agent, method, port, host: '127.0.0.1', localAddress: address, path: url.pathname + url.search },
        headers: { host: url.host, ...(content && { 'content-length': String(content.length) }), ...headers },
      }
      const sent = request(options, async (incoming) => {
        const { statusCode: status = 0, rawHeaders } = incoming
        const received = await buffer(incoming)
        const headers = new Headers()
        for (let index = 0; index < rawHeaders.length; index += 2)
          headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
        const hasBody = status !== 204 && status !== 304
        resolve(new Response(hasBody ? new Uint8Array(received) : null, { status, headers }))
      })
      sent.on('error', reject).end(content)
    })
  return { send, close: () => agent.destroy() }
}
