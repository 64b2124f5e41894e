import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestBrowser, type TestBrowser } from '../browser.ts'
import { run } from '../process.ts'

const waiting = { timeout: 40_000, interval: 200 }
const portCount = 11

let [passportUrl, hubUrl, mailUrl] = ['', '', '']
let stop = async () => {}

/** Returns the first of as many free ports as the world needs, below those that others are given by chance. */
async function findFreePorts(): Promise<number> {
  for (let first = 20_000 + 20 * (process.pid % 400); ; first += portCount) {
    const ports = Array.from({ length: portCount }, (_, index) => first + index)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-world-'))
  chmodSync(dataDir, 0o755)
  const port = await findFreePorts()
  const world = run('../../world/src/main.ts', [], { PORT: String(port), DATA_DIR: join(dataDir, 'world') })
  stop = async () => {
    world.kill('SIGTERM')
    await world.exited
    rmSync(dataDir, { recursive: true, force: true })
  }
  await world.waitForOutput(/To start afresh/)
  ;[passportUrl, hubUrl, mailUrl] = [0, 10, 2].map((offset) => `http://localhost:${port + offset}`) as [
    string,
    string,
    string,
  ]
  expect(world.output().match(/http:\/\/localhost:\d+\/\d+$/gm)).toEqual(
    Array.from({ length: 10 }, (_, index) => `${hubUrl}/${index + 1}`),
  )
}, 180_000)
afterAll(() => stop(), 60_000)

/** Follows a link of the page with a new browser; returns its calls as the user who was signed in. */
async function follow(path: string) {
  const browser = createTestBrowser(hubUrl)
  const page = await browser.open(hubUrl + path)
  expect(page.status).toBe(200)
  return { ...page, ...callsOf(browser), address: decodeURIComponent(page.url) }
}

function callsOf(browser: TestBrowser) {
  const call = async (method: string, path: string, body?: object) => {
    const response = await browser.send(passportUrl + path, {
      method,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: the response of any call.
    return { status: response.status, body: (await response.json().catch(() => undefined)) as any }
  }
  return { browser, call, whoAmI: async () => (await call('GET', '/passport/apphelper/user')).body }
}

describe('the links of npm run world', () => {
  let headset = ''

  test('are on a page with the password', async () => {
    const { text } = await follow('/')
    expect(text.match(/<li class="thing">/g)).toHaveLength(10)
    const password = /the password <code>([^<]+)/.exec(text)?.[1] ?? ''
    const browser = createTestBrowser(passportUrl)
    await browser.submit(await browser.open(`${passportUrl}/login?idp=local`), { name: 'eve', password })
    expect(await callsOf(browser).whoAmI()).toMatchObject({ claims: { name: 'Eve Moreau', idp: 'local' } })
    expect(await (await follow('/as/eve')).whoAmI()).toMatchObject({ claims: { name: 'Eve Moreau', idp: 'harbour' } })
    for (const path of ['/11', '/7/9', '/as/nobody']) expect((await fetch(hubUrl + path)).status).toBe(404)
  })

  test('1 sign an administrator in to a company with activity', async () => {
    const { address, call } = await follow('/1')
    expect(address).toContain('/app/')
    const { body } = await call('GET', '/passport/admin/overview')
    expect(body.users.total).toBeGreaterThan(400)
    expect(body.signIns.last7Days.succeeded).toBeGreaterThan(100)
  })

  test('2 sign a developer in to the page of tokens', async () => {
    const { address, whoAmI } = await follow('/2')
    expect(address).toContain('/app/developer/tokens')
    expect((await whoAmI()).roles).toEqual(['Passport.Developer'])
  })

  test('3 show the code of a headset, which can be approved', async () => {
    const { text, url } = await follow('/3')
    headset = url
    const [, code = ''] = /class="code">([^<]+)/.exec(text) ?? []
    const { call } = await follow('/as/dev')
    expect((await call('GET', `/passport/deviceauthorization/${code}`)).status).toBe(200)
    expect((await call('POST', '/passport/deviceauthorization', { code, action: 'approve' })).status).toBe(200)
  })

  test('4 let Eve join an organisation', async () => {
    const { address, call, whoAmI } = await follow('/4')
    const [id] = /join\/[\w-]+/.exec(address) ?? []
    expect((await call('POST', `/${id}/accept`)).status).toBe(200)
    expect((await whoAmI()).orgs).toMatchObject([{ name: 'Harbour Hall', role: 'member' }])
  })

  test('5 ask why Eve may view a document', async () => {
    const { url, call } = await follow('/5')
    // The app goes on from its page for signed-in users.
    const { searchParams } = new URL(new URL(url).searchParams.get('returnUrl') ?? '', passportUrl)
    const [subjectType, subjectId] = searchParams.get('subject')?.split(':') ?? []
    const [resourceType, resourceId] = searchParams.get('resource')?.split(':') ?? []
    const { body } = await call('POST', '/passport/admin/tools/permissions/check', {
      resource: { type: resourceType, id: resourceId },
      permission: searchParams.get('permission'),
      subject: { type: subjectType, id: subjectId },
    })
    expect(body.permissionship).toBe('hasPermission')
  })

  test('6 find the tenant of a customer', async () => {
    const { address, call } = await follow('/6')
    expect(address).toContain('/app/admin/orgs/createentra?q=meridian.example')
    const { body } = await call('GET', '/passport/admin/tools/tenantdiscovery?q=meridian.example')
    expect(JSON.stringify(body)).toContain('Meridian Freight')
  })

  test('7 watch people arrive from Entra, who sign in with their email', async () => {
    const { address, call } = await follow('/7')
    const orgId = /orgs\/([^/]+)\/provisioning/.exec(address)?.[1]
    const count = async () => (await call('GET', `/passport/admin/orgs/${orgId}/scim`)).body.counts
    await expect.poll(count, waiting).toMatchObject({ users: 5, groups: 2 })
    const { browser, text, url, status, headers } = await follow('/7/2')
    const person = /name="person" value="([^"]+)">Iris Vale/.exec(text)?.[1] ?? ''
    await browser.submit({ text, url, status, headers }, { person })
    expect(await callsOf(browser).whoAmI()).toMatchObject({
      claims: { name: 'Iris Vale' },
      orgs: [{ name: 'Northlight Studios' }],
    })
    expect((await follow('/7/1')).text).toContain('Northlight Studios')
  })

  test('8 sell a product of AWS Marketplace, whose events arrive by the queue', async () => {
    const { browser, text, url, status, headers } = await follow('/8')
    const agreement = await browser.submit(
      { text, url, status, headers },
      { seats: '12', recording: 'on', account: '' },
    )
    expect(agreement.text).toContain('Set up your account')
    const { call } = await follow('/8/1')
    const read = async () => (await call('GET', '/passport/admin/awssubscriptions')).body.items
    await expect.poll(async () => (await read()).length, waiting).toBe(2)
    expect((await read()).map(({ org }: { org: { name: string } | null }) => org?.name)).toContain('Harbour Hall')
    const { body } = await call('GET', '/passport/admin/health')
    expect(body.checks.find(({ name }: { name: string }) => name === 'aws-queues')).toMatchObject({ status: 'ok' })
  })

  test('9 begin the connection of a Meta account', async () => {
    const { address, call } = await follow('/9')
    expect(address).toContain('/app/connect/metahorizon')
    expect(await call('POST', '/passport/connect/metahorizon/start', {})).toMatchObject({ status: 200 })
  })

  test('10 invite a colleague, whose mail arrives', async () => {
    const { address, call } = await follow('/10')
    expect(address).toContain('/app/admin/users/invitations/create')
    const email = 'mia@harbour.example'
    expect((await call('POST', '/passport/admin/users/invitations', { email })).status).toBe(201)
    const listMails = async () =>
      (await (await fetch(`${mailUrl}/mails`)).json()) as { id: number; recipients: string[] }[]
    const find = async () => (await listMails()).find(({ recipients }) => recipients.includes(email))
    await expect.poll(find, waiting).toBeDefined()
    expect((await fetch(`${mailUrl}/mails/${(await find())?.id}/html`)).status).toBe(200)
  })

  test('3 sign the headset in', async () => {
    await expect.poll(async () => (await fetch(headset)).text(), waiting).toContain('Hello, Dev Patel')
  })
})
