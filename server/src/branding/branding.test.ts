import * as api from '@passport/contract/branding'
import { discover } from '@passport/contract/discovery'
import { createOrg, deleteOrg } from '@passport/contract/orgs'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sendMail } from '../mail/send.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { sweepFiles } from './store.ts'

let mailServer: RunningMailServer
let service: TestService
let ada: Visitor

/** With two providers, the sign-in page is a choice rather than a redirect. */
const providers = JSON.stringify([
  { id: 'local', name: 'Passport', kind: 'local' },
  { id: 'other', name: 'Other', kind: 'oidc', issuer: 'https://other.example', clientId: 'a', clientSecret: 'b' },
])

beforeAll(async () => {
  mailServer = await startMailServer()
  onFileEnd(mailServer.stop)
  service = await startTestService({
    BRAND_NAME: 'Configured',
    IDENTITY_PROVIDERS: providers,
    SMTP_URL: mailServer.smtpUrl,
    MAIL_FROM: 'id@stage.example',
  })
  ada = await service.as('ada')
})
beforeEach(async () => {
  await service.sql`delete from rate_limits`
})

const none: api.BrandingFields = { name: null, logo: null, favicon: null, accent: null, supportUrl: null }
const put = (fields: Partial<api.BrandingFields>, options: { ifMatch?: string } = {}) =>
  ada.call(api.putBranding, { body: { ...none, ...fields } }, options)
const get = () => ada.call(api.getBranding, {})
const read = async (path: string, from = service) => (await fetch(`${from.url}${path}`)).text()
const createPng = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#7a1f5c' } })
    .png()
    .toBuffer()
async function upload(width = 200, height = 50) {
  const picture = new File([new Uint8Array(await createPng(width, height))], 'logo.png')
  return ada.call(api.uploadBrandPicture, { body: { picture } })
}
async function createVerifiedOrg(name: string, domain: string) {
  const { id } = await ada.call(createOrg, { body: { name, domains: [domain] } })
  await service.sql`update org_domains set status = 'verified', verified_at = now() where org_id = ${id}`
  return id
}
const accent = { light: '#7a1f5c', dark: '#f2a6d6' }

describe('the branding of the installation', () => {
  test('is the saved one over the configuration, and can be reset', async () => {
    const stage = await startTestService({ IDENTITY_PROVIDERS: providers }, { sharedWith: service })
    expect(await get()).toEqual({ ...none, defaultName: 'Configured', revision: 0, updatedAt: null, updatedBy: null })
    expect(await read('/login')).toContain('| Configured</title>')
    expect(await read('/login', stage)).toContain('| Stage Passport</title>')
    const saved = await put({ name: '  Orchard & Söns ' })
    expect(saved).toMatchObject({ name: 'Orchard & Söns', revision: 1, updatedBy: { id: ada.id } })
    expect(await read('/login')).toContain('Sign in to Orchard &amp; Söns')
    expect(await ada.call(discover, { query: {} })).toMatchObject({
      brandName: 'Orchard & Söns',
      supportContact: 'an administrator of Orchard & Söns',
    })
    // The other process learns of it by a notification.
    await expect.poll(() => read('/login', stage)).toContain('Sign in to Orchard &amp; Söns')
    expect(await put({ name: ' ' })).toMatchObject({ name: null })
    expect(await read('/login')).toContain('| Configured</title>')
    await expect.poll(() => read('/login', stage)).toContain('| Stage Passport</title>')
  })

  test('shows logo, icon, colours and support link on pages of the server', async () => {
    const [logo, favicon] = [await upload(), await upload(32, 32)]
    await put({ logo: logo.hash, favicon: favicon.hash, accent, supportUrl: 'mailto:help@orchard.example' })
    const page = await read('/login')
    const [, stylesheet = ''] =
      /<link rel="stylesheet" href="(\/passport\/branding\/[0-9a-f]{64}\.css)">/.exec(page) ?? []
    // A wide logo has the name in it.
    expect(page).toContain(`<p class="brand"><img src="${logo.url}" alt="Configured" width="128" height="32"></p>`)
    expect(page).toContain(`<img src="${logo.url}" alt="" width="200" height="50">`)
    expect(page).not.toMatch(/(?<!class="mark" )src="\/app\/seal/)
    expect(page).toContain(`<link rel="icon" href="${favicon.url}" type="image/png">`)
    expect(page).toContain('<a href="mailto:help@orchard.example">Support</a>')
    expect(await read('/support')).toContain('contact <a href="mailto:help@orchard.example">help@orchard.example</a>')
    expect(await read('/app/nothing/missing.js')).not.toContain('undefined')

    const css = await fetch(`${service.url}${stylesheet}`)
    expect(css.headers.get('content-type')).toBe('text/css')
    expect(css.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await css.text()).toContain(':root{--stamp:#7a1f5c;--act:#7a1f5c;')
    const picture = await fetch(`${service.url}${logo.url}`)
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect(picture.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({ width: 200, height: 50 })
    // The policy of the page admits both, and nothing else.
    const { headers } = await fetch(`${service.url}/login`)
    expect(headers.get('content-security-policy')).toMatch(/style-src 'self'; img-src 'self'; font-src 'self'/)
    await put({})
  })

  test('records what changed, and nothing when nothing did', async () => {
    const listEvents = () => service.sql`
      select action, target_kind, target_id, before, after from audit_events where action like '%branding%' order by id`
    await put({ name: 'First' })
    const count = (await listEvents()).length
    await put({ name: 'First' })
    expect(await listEvents()).toHaveLength(count)
    await put({ name: 'First', accent })
    expect((await listEvents()).at(-1)).toEqual({
      action: 'branding.changed',
      targetKind: 'branding',
      targetId: 'installation',
      before: { accent: null },
      after: { accent },
    })
    await put({})
  })

  test('honours If-Match', async () => {
    const { revision } = await put({ name: 'Second' })
    await expect(put({ name: 'Third' }, { ifMatch: `"${revision - 1}"` })).rejects.toMatchObject({ status: 412 })
    expect(await put({}, { ifMatch: `"${revision}"` })).toMatchObject({ name: null })
    const response = await ada.fetch('/passport/admin/branding', { headers: { 'if-none-match': `"${revision + 1}"` } })
    expect(response.status).toBe(304)
  })

  test.for<[Partial<Record<keyof api.BrandingFields, unknown>>, string, RegExp]>([
    [{ name: 'x'.repeat(65) }, 'name', /at most 64 characters/],
    [{ name: 'Pay\u202epal' }, 'name', /text direction/],
    [{ name: 'two\nlines' }, 'name', /control characters/],
    [{ accent: { light: '#f2a6d6', dark: '#f2a6d6' } }, 'accent.light', /contrast of 1\.\d\d:1 in the light theme/],
    [{ accent: { light: '#7a1f5c', dark: '#7a1f5c' } }, 'accent.dark', /contrast of 1\.\d\d:1 in the dark theme/],
    [{ accent: { light: 'expression(1)', dark: '#f2a6d6' } }, 'accent.light', /colour such as/],
    [{ supportUrl: 'javascript:alert(1)' }, 'supportUrl', /web address/],
    [{ supportUrl: 'https://user:pw@help.example' }, 'supportUrl', /web address/],
    [{ supportUrl: 'mailto:a@b.example?bcc=c@d.example"><script>' }, 'supportUrl', /web address/],
    [{ logo: '0'.repeat(64) }, 'logo', /Upload the picture first/],
    [{ favicon: '../../etc/passwd' }, 'favicon', /hash/],
  ])('rejects %j', async ([fields, field, message]) => {
    await expect(put(fields as Partial<api.BrandingFields>)).rejects.toMatchObject({
      status: 400,
      body: { errors: [{ field, message: expect.stringMatching(message) }] },
    })
    expect(await get()).toMatchObject(none)
  })
})

describe('a picture', () => {
  test('is scaled down to 512 pixels, and deleted after an hour unless a branding refers to it', async () => {
    const picture = await upload(1000, 250)
    expect(picture).toMatchObject({ url: `/passport/media/branding/${picture.hash}.png`, width: 512, height: 128 })
    const used = await upload(20, 20)
    await put({ logo: used.hash })
    await service.sql`update branding_files set used_at = now() - interval '61 minutes'`
    await sweepFiles(service.sql, 10)
    expect((await fetch(`${service.url}${picture.url}`)).status).toBe(404)
    expect((await fetch(`${service.url}${used.url}`)).status).toBe(200)
    await put({})
  })

  test('may be at most 256 KiB', async () => {
    const body = new Uint8Array(api.maxBrandPictureBytes + 1)
    const headers = { 'content-type': 'image/png' }
    const response = await ada.fetch('/passport/admin/branding/pictures', { method: 'POST', headers, body })
    expect(response.status).toBe(413)
  })

  test.for(['missing.css', `${'0'.repeat(64)}.css`, `${'0'.repeat(64)}.png`, '..%2f..%2fx.css'])(
    'is not found as %s',
    async (name) => {
      expect((await fetch(`${service.url}/passport/branding/${name}`)).status).toBe(404)
      expect((await fetch(`${service.url}/passport/media/branding/${name}`)).status).toBe(404)
    },
  )
})

describe('the branding of an organisation', () => {
  test('is shown on the sign-in page once the domain of an address has named it', async () => {
    const orgId = await createVerifiedOrg('Contoso', 'contoso.example')
    const logo = await upload(40, 40)
    const parts = { params: { orgId } }
    const saved = await ada.call(api.putOrgBranding, { ...parts, body: { name: 'Contoso Farms', logo: logo.hash } })
    expect(saved).toMatchObject({ name: 'Contoso Farms', logo: logo.hash, revision: 1 })
    expect(await read('/login')).toContain('Sign in to Configured')
    const named = await read('/login?login_hint=eve%40contoso.example')
    expect(named).toContain('Sign in to Contoso Farms')
    expect(named).toContain(logo.url)
    expect(await read('/login?login_hint=eve%40other.example')).toContain('Sign in to Configured')
    const stale = { ifMatch: '"0"' }
    const change = { ...parts, body: { name: null, logo: null } }
    await expect(ada.call(api.putOrgBranding, change, stale)).rejects.toMatchObject({ status: 412 })

    const to = { name: null, address: 'eve@contoso.example' }
    await sendMail(service.sql, service.services, to, 'test', { sender: 'Ada' })
    const mail = await mailServer.waitForMailTo('eve@contoso.example')
    expect(mail.subject).toBe('Test email from Contoso Farms')
    expect(mail.text).toContain('-- \nContoso Farms')
    expect(mail.html).toMatch(
      /<img src="(?:cid:logo@passport|data:image\/png;base64,[^"]+)" alt="" width="40" height="40"/,
    )

    await ada.call(deleteOrg, { params: { orgId }, query: {} })
    expect(await read('/login?login_hint=eve%40contoso.example')).toContain('Sign in to Configured')
    await expect(ada.call(api.getOrgBranding, parts)).rejects.toMatchObject({ status: 404 })
    await expect(ada.call(api.putOrgBranding, change)).rejects.toMatchObject({ status: 404 })
  })

  test('is that of the installation before the domain is verified', async () => {
    const { id: orgId } = await ada.call(createOrg, { body: { name: 'Fabrikam', domains: ['fabrikam.example'] } })
    await ada.call(api.putOrgBranding, { params: { orgId }, body: { name: 'Impostor', logo: null } })
    expect(await read('/login?login_hint=a%40fabrikam.example')).not.toContain('Impostor')
  })
})
