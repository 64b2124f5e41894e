import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { uploadAvatar } from '@passport/contract/avatar'
import * as clients from '@passport/contract/clients'
import { createIdentityApi } from '@passport/contract/identity-apis'
import { createOrg } from '@passport/contract/orgs'
import { createTestBrowser } from '@passport/world/browser'
import { findFreePort } from '@passport/world/port'
import * as client from 'openid-client'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { type ConnectingService, startConnectingService } from '../connections/test-connections.ts'
import { issuePersonalToken } from '../personal-tokens/test-personal-token.ts'
import { personalTokenForm } from '../prefixed-token.ts'
import { createModel } from '../profile/test-models.ts'
import { issueBearerToken } from '../test-bearer.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { createDatabaseEnvironment } from '../test-processes.ts'
import { demoPassword, type TestService, type Visitor } from '../test-service.ts'
import { type GuideBlocks, readGuideBlocks, runShell } from './test-guide.ts'

// Executes the code blocks of guides as they are, except for the ports and for ids of records. Each test ends with a
// check that its guide has no other block. Other guides are executed by `guide.test.ts` of their feature.

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'passport-guides-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))

let at: ConnectingService
let service: TestService
let [ada, dev, eve]: Visitor[] = []
const users = () => ({ ada: ada as Visitor, dev: dev as Visitor, eve: eve as Visitor })

beforeAll(async () => {
  at = await startConnectingService()
  service = at.service
  ada = await service.as('ada')
  dev = await service.as('dev')
  eve = await service.as('eve')
})

const parse = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown)
const expectNothingLeft = (guide: GuideBlocks) => expect(guide.listLeft()).toEqual([])

/** Starts a program of a guide with Node.js; it listens on a port of its own in place of `port`. */
async function startProgram(name: string, code: string, port: number, environment: Record<string, string> = {}) {
  const freePort = await findFreePort()
  writeFileSync(join(folder, name), toThisServer(code).replaceAll(String(port), String(freePort)))
  const program = spawn(process.execPath, [name], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onFileEnd(() => program.kill())
  const url = `http://localhost:${freePort}`
  await expect
    .poll(() =>
      fetch(url, { redirect: 'manual' }).then(
        ({ status }) => status,
        () => undefined,
      ),
    )
    .toBeTruthy()
  return { url, port: freePort }
}
const toThisServer = (code: string) => {
  expect(code).toContain('http://localhost:3000')
  return code.replaceAll('http://localhost:3000', service.url)
}

async function openAsEve(url: string) {
  const browser = createTestBrowser(service.url)
  const page = await browser.submit(await browser.open('/login'), { name: 'eve', password: demoPassword })
  expect(page.status).toBe(200)
  return { browser, page: await browser.open(url) }
}

test('an app with a server signs users in by the guide of the first client', async () => {
  const guide = readGuideBlocks('your-first-client')
  expect(await runShell(`${guide.take('sh')}\nprintf %s "$PASSPORT_CLIENT_SECRET"`, {})).toBe('…')
  const settings = await runShell(`npm() { printf %s "$CLIENTS"; }\n${guide.take('sh')}`, {})
  expect(loadConfig({ CLIENTS: settings }).clients).toMatchObject([{ clientId: 'shop', clientName: 'Shop' }])

  const program = guide.take('js')
  const redirectUri = 'http://localhost:8080/callback'
  expect(program).toContain(redirectUri)
  const { client: shop, secret } = await users().ada.call(clients.createClient, {
    body: { clientName: 'Shop', redirectUris: [redirectUri] } as never,
  })
  const { url, port } = await startProgram('shop.mjs', program, 8080, { PASSPORT_CLIENT_SECRET: secret ?? '' })
  const { version: _, ...fields } = shop
  const redirectUris = [redirectUri.replace('8080', String(port))]
  const body = { ...clients.toClientFields(fields), redirectUris }
  await users().ada.call(clients.putClient, { params: { clientId: shop.clientId }, body })
  const { browser, page } = await openAsEve(url)
  const { text } = await browser.submit(page, { answer: 'allow' })
  expect(text).toContain('Hello Eve Moreau. Passport knows you as {')
  expect(text).toContain(users().eve.id)
  expectNothingLeft(guide)
})

test('an API verifies tokens by the guide of the first API, without a restart of Passport', async () => {
  const { ada } = users()
  const guide = readGuideBlocks('your-first-api')
  const { url } = await startProgram('orders.mjs', guide.take('js'), 8081)
  const scopes = [{ name: 'orders.read', description: '', emphasize: false }]
  const fields = { name: 'orders', displayName: 'Orders', audience: 'https://orders.example.com', scopes }
  await ada.call(createIdentityApi, { body: fields as never })
  const apis = [{ name: 'orders', scopes: ['orders.read'] }]
  const { secret } = await ada.call(clients.createClient, { body: { clientName: 'Nightly import', apis } as never })
  const commands = toThisServer(guide.take('sh')).replace('http://localhost:8081', url)
  expect(await runShell(commands, { SECRET: secret ?? '' })).toBe('Orders for nightly-import')
  expect(
    (await fetch(url, { headers: { authorization: `Bearer ${await issueBearerToken(service, 'eve')}` } })).status,
  ).toBe(401)
  expectNothingLeft(guide)
})

test('a script administers by the guide', async () => {
  const guide = readGuideBlocks('administering-by-script')
  const { client, secret } = await users().ada.call(clients.createClient, {
    body: { clientName: 'Directory sync', scopes: ['passport.admin.read', 'passport.admin'] },
  })
  const output = await runShell(toThisServer(guide.take('sh')), { SECRET: secret ?? '' })
  const { items } = JSON.parse(output) as { items: { username: string }[] }
  expect(items.map(({ username }) => username)).toContain('eve')
  const { id } = await users().ada.call(createOrg, { body: { name: 'Contoso' } })
  const issued = await fetch(`${service.url}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'passport.admin' }),
  })
  const { access_token } = (await issued.json()) as { access_token: string }
  const environment = { PASSPORT: service.url, ORG_ID: id, TOKEN: access_token }
  expect(JSON.parse(await runShell(guide.take('sh'), environment, folder))).toMatchObject({ name: 'Contoso Ltd' })
  expectNothingLeft(guide)
})

describe('the guide of personal tokens', () => {
  const guide = readGuideBlocks('personal-tokens')

  test('has commands that work in order', async () => {
    const { dev } = users()
    const { value } = await issuePersonalToken(service, dev)
    const environment = { PASSPORT: service.url, TOKEN: value }
    expect(await runShell(guide.take('sh'), environment)).toContain('"preferred_username":"dev"')
    expect(await (await dev.fetch('/passport/preferences/me/Backup.LastRun')).text()).toBe('done')
    const { secret } = await users().ada.call(clients.createClient, {
      body: { clientName: 'Shop', clientId: 'introspecting-shop', redirectUris: ['https://shop.example/'] } as never,
    })
    const command = guide.take('sh')
    expect(command).toContain('"shop:$SECRET"')
    const output = await runShell(command.replace('shop:', 'introspecting-shop:'), {
      ...environment,
      SECRET: secret ?? '',
    })
    expect(JSON.parse(output)).toMatchObject({ active: true, token_use: 'personal', sub: dev.id })
  })

  test('has a pattern that finds a token in a text, and the length of its start', () => {
    const pattern = guide.take('text').trim()
    const token = personalTokenForm.generate()
    expect(`TOKEN="${token}" # of the backup`.match(new RegExp(pattern))?.[0]).toBe(token)
    expect(`psp_${token}`.match(new RegExp(pattern))).toBeNull()
    const text = readFileSync(join(root, 'docs/guide/personal-tokens.md'), 'utf8')
    expect([personalTokenForm.startLength, text.includes('the first eight\ncharacters')]).toEqual([8, true])
    expectNothingLeft(guide)
  })
})

test('an app saves, compares and restores preferences by the guide', async () => {
  const guide = readGuideBlocks('preferences')
  const { value: token } = await issuePersonalToken(service, users().eve)
  const run = () => runShell(guide.take('sh'), { PASSPORT: service.url, TOKEN: token }, folder)
  expect(await run()).toBe('dark[{"key":"MyApp.Theme","value":"dark"}]')
  expect(await run()).toBe('light 204\nblue 412\n')
  expect(JSON.parse(readFileSync(join(folder, 'problem.json'), 'utf8'))).toMatchObject({ code: 'precondition-failed' })
  const [earlier, deleted] = parse((await run()).replace('][', ']\n['))
  expect([earlier, deleted]).toMatchObject([[{ value: 'dark' }], [{ key: 'MyApp.Theme', value: 'light' }]])
  expect(await run()).toBe('')
  expect(await (await users().eve.fetch('/passport/preferencehistory/me/MyApp.Theme')).json()).toEqual([])
  expectNothingLeft(guide)
})

test('files are uploaded, imported, read, removed and archived by the guide of avatars', async () => {
  const { dev, eve } = users()
  const guide = readGuideBlocks('avatars')
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  writeFileSync(join(folder, 'portrait.png'), picture)
  writeFileSync(join(folder, 'figure.glb'), createModel())
  const { value: token } = await issuePersonalToken(service, eve)
  const { pngUrl } = await dev.call(uploadAvatar, {
    params: { profileId: 'me' },
    body: { png: new File([new Uint8Array(picture)], 'png') },
  })
  const environment = { PASSPORT: service.url, TOKEN: token, PROFILE_ID: eve.id, PICTURE_URL: pngUrl ?? '' }
  const run = async () => JSON.parse((await runShell(guide.take('sh'), environment, folder)) || 'null')
  expect(await run()).toMatchObject({ pngSource: 'upload', glbSource: 'upload' })
  expect(await run()).toEqual({ pngurl: pngUrl })
  const avatar = await run()
  expect(avatar).toMatchObject({ pngUrl, pngSource: 'url', glbSource: 'upload' })
  expect(Object.keys(JSON.parse(guide.take('json')))).toEqual(Object.keys(avatar))
  expect(await run()).toBeNull()

  const [header, row = ''] = guide.take('csv').trim().split('\n')
  const [avatarId, profileId = ''] = row.split(',')
  writeFileSync(join(folder, 'avatars.csv'), `${header}\n${row.replace(profileId, eve.id)}\n`)
  writeFileSync(join(folder, `${avatarId}.glb`), createModel())
  const database = await createDatabaseEnvironment(service.sql)
  const output = await runShell(guide.take('sh'), { ...database, FOLDER: folder }, root)
  expect(output).toContain('Archived 1 of 1 avatars')
  const [archived, info] = parse((await runShell(guide.take('sh'), environment)).replace('}{', '}\n{'))
  expect([archived, info]).toMatchObject([
    { linked: true, avatarId },
    { status: 'retired', linked: true },
  ])
  expectNothingLeft(guide)
})

test('a headset connects its account, and apps read it, by the guide of connected accounts', async () => {
  const { dev } = users()
  const guide = readGuideBlocks('connected-accounts')
  const { id, orgScopedId } = at.meta.account('Headset')
  const environment = {
    PASSPORT: service.url,
    TOKEN: await issueBearerToken(service, 'dev'),
    USER_ID: id,
    NONCE: at.meta.issueNonce('Headset'),
  }
  expect(JSON.parse(await runShell(guide.take('sh'), environment))).toEqual({ status: 'linked' })

  const redirectUri = 'https://board.example/callback'
  const { client: board } = await users().ada.call(clients.createClient, {
    body: { clientName: 'Board', redirectUris: [redirectUri], confidential: false, consent: 'skip' } as never,
  })
  const configuration = await client.discovery(new URL(service.url), board.clientId, {}, client.None(), {
    execute: [client.allowInsecureRequests],
  })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const request = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid connections',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  let url = request.href
  for (let hops = 0; hops < 10 && url.startsWith(service.url); hops++)
    url = new URL((await dev.fetch(url.slice(service.url.length))).headers.get('location') ?? '', url).href
  const { access_token } = await client.authorizationCodeGrant(configuration, new URL(url), { pkceCodeVerifier })
  const userInfo = await client.fetchUserInfo(configuration, access_token, dev.id)
  expect(userInfo).toEqual({ sub: dev.id, connections: { metahorizon: orgScopedId } })
  const documented = JSON.parse(guide.take('json'))
  expect([Object.keys(documented), Object.keys(documented.connections)]).toEqual([
    ['sub', 'connections'],
    ['metahorizon'],
  ])

  const { connectors } = JSON.parse(guide.take('json'))
  expect(loadConfig({ CONNECTORS: JSON.stringify(connectors) }).connectors).toMatchObject(connectors)
  expectNothingLeft(guide)
})

test('the file of the guide about the configuration is valid', () => {
  const file = join(folder, 'passport.json')
  writeFileSync(file, readGuideBlocks('configuration').take('json'))
  const config = loadConfig({ PUBLIC_URL: 'https://id.example', PASSPORT_CONFIG: file })
  expect(config.connectors).toMatchObject([{ id: 'lighthouse', name: 'Lighthouse' }])
  expect(config.clients).toMatchObject([{ clientId: 'shop' }])
})
