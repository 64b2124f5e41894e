import { createHash } from 'node:crypto'
import { listAuditEntries } from '@passport/contract/audit'
import * as api from '@passport/contract/avatar'
import { getCurrentUser } from '@passport/contract/current-user'
import { addGroupMembers, createGroup, getGroup, listGroupMembers, listGroupOwners } from '@passport/contract/groups'
import { addOrgMembers, createOrg, listOrgMembers, putOrgMember } from '@passport/contract/orgs'
import { getProfile, listProfiles } from '@passport/contract/profile'
import { addRoleMembers, listRoleMembers } from '@passport/contract/roles'
import { getUser } from '@passport/contract/users'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { createModel } from './test-models.ts'

let service: TestService
let [ada, dev, eve]: Visitor[] = []
const users = () => ({ ada: ada as Visitor, dev: dev as Visitor, eve: eve as Visitor })
let picture: Buffer<ArrayBuffer>
let otherPicture: Buffer<ArrayBuffer>

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  dev = await service.as('dev')
  eve = await service.as('eve')
  picture = await createPicture('#c04020').png().toBuffer()
  otherPicture = await createPicture('#2040c0').png().toBuffer()
})

beforeEach(async () => {
  await service.sql`delete from avatars`
  await service.sql`delete from rate_limits`
})

const createPicture = (background: string, width = 64, height = 48) =>
  sharp({ create: { width, height, channels: 3, background } })
const me = { params: { profileId: 'me' } }
const pathOf = (rest = '', id = 'me') => `/passport/profile/${id}/avatar${rest}`
const toSmall = (pngUrl: string | null) => String(pngUrl).replace('.png', '-96.png')
const toFile = (bytes: Uint8Array<ArrayBuffer>) => new File([bytes], 'avatar')
const send = (visitor: Visitor, method: string, path: string, body: Buffer<ArrayBuffer> | string, type: string) =>
  visitor.fetch(path, { method, body, headers: { 'content-type': type } })
const sortById = <Row extends { id: string }>(rows: Row[]) => rows.sort((a, b) => (a.id < b.id ? -1 : 1))
const readProblem = async (response: Response) => [response.status, await response.json()]

describe('an avatar', () => {
  test('is returned with every field as uploaded, and shown with the profile, the user and the current user', async () => {
    const { ada, eve } = users()
    const unset = { pngUrl: null, glbUrl: null, pngSource: null, glbSource: null, source: 'none', updatedAt: null }
    expect(await eve.call(api.getAvatar, me)).toEqual(unset)
    const before = await eve.call(getProfile, me)
    const png = toFile(picture)
    const avatar = await eve.call(api.uploadAvatar, { ...me, body: { png, glb: toFile(createModel()) } })
    const prefix = `${service.url}/passport/media/avatars/`
    expect(avatar).toEqual({
      pngUrl: expect.stringMatching(new RegExp(`^${prefix}[0-9a-f]{64}\\.png$`)),
      glbUrl: `${prefix}${createHash('sha256').update(createModel()).digest('hex')}.glb`,
      pngSource: 'upload',
      glbSource: 'upload',
      source: 'upload',
      updatedAt: expect.any(String),
    })
    expect(await eve.call(api.getAvatar, me)).toEqual(avatar)
    const { pngUrl, glbUrl } = avatar
    const profile = await ada.call(getProfile, { params: { profileId: eve.id } })
    expect(profile).toMatchObject({ avatar, avatarPngUrl: pngUrl, avatarGlbUrl: glbUrl, version: before.version + 1 })
    const { items } = await ada.call(listProfiles, { query: { query: 'eve' } })
    expect(items).toMatchObject([{ avatarPngUrl: pngUrl }])
    expect(await ada.call(getUser, { params: { userId: eve.id } })).toMatchObject({ avatarPngUrl: pngUrl })
    expect((await eve.call(getCurrentUser, {})).claims.picture).toBe(pngUrl)
    expect(await eve.call(api.getAvatarPngUrl, me)).toEqual({ pngurl: pngUrl })
    const plain = await eve.fetch(pathOf('/glburl'), { headers: { accept: 'text/plain' } })
    expect(await plain.text()).toBe(glbUrl)
  })

  test('is shown with members of groups, organisations and roles, and in the audit log', async () => {
    const { ada, dev, eve } = users()
    const { pngUrl } = await eve.call(api.uploadAvatar, { ...me, body: { png: toFile(picture) } })
    const preview = { query: {} }
    const shown = { id: eve.id, avatarPngUrl: pngUrl }
    const hidden = { id: dev.id, avatarPngUrl: null }

    const group = { params: { groupId: (await eve.call(createGroup, { body: { name: 'Pictured' } })).id } }
    await eve.call(addGroupMembers, { ...group, ...preview, body: { members: [eve.id, dev.id] } })
    expect((await eve.call(listGroupMembers, { ...group, query: {} })).items).toMatchObject(sortById([shown, hidden]))
    expect((await eve.call(listGroupOwners, { ...group, query: {} })).items).toMatchObject([shown])
    const { members, owners } = await eve.call(getGroup, { params: { id: group.params.groupId } })
    expect({ members, owners }).toMatchObject({ members: sortById([shown, hidden]), owners: [shown] })

    const org = { params: { orgId: (await ada.call(createOrg, { body: { name: 'Pictured' } })).id } }
    await ada.call(addOrgMembers, { ...org, ...preview, body: { members: [eve.id] } })
    expect((await ada.call(listOrgMembers, { ...org, query: { role: 'member' } })).items).toMatchObject([shown])
    const member = { params: { ...org.params, userId: eve.id }, ...preview, body: { role: 'admin' as const } }
    expect(await ada.call(putOrgMember, member)).toMatchObject(shown)

    const role = { params: { name: 'Passport.Developer' } }
    await ada.call(addRoleMembers, { ...role, ...preview, body: { members: [eve.id] } })
    for (const query of [{}, { query: 'eve' }])
      expect((await ada.call(listRoleMembers, { ...role, query })).items).toContainEqual(expect.objectContaining(shown))

    const target = `user:${eve.id}`
    const [granted, uploaded] = (await ada.call(listAuditEntries, { query: { target, limit: 2 } })).items
    const pictures = { [eve.id]: pngUrl }
    expect([granted, uploaded]).toMatchObject([
      { actor: { id: ada.id }, pictures },
      { actor: { id: eve.id }, pictures },
    ])
    const [joined] = (await ada.call(listAuditEntries, { query: { action: 'group.members-added', limit: 1 } })).items
    expect(joined).toMatchObject({ actor: { id: eve.id }, target: { kind: 'group' }, pictures })
  })

  test('keeps the absent part, and null or DELETE removes one', async () => {
    const { eve } = users()
    const body = { png: toFile(picture), glb: toFile(createModel()) }
    await eve.call(api.uploadAvatar, { ...me, body })
    const onlyModel = await eve.call(api.uploadAvatar, { ...me, body: { pngUrl: null } })
    expect(onlyModel).toMatchObject({ pngUrl: null, pngSource: null, glbSource: 'upload', source: 'upload' })
    for (const path of ['/glburl', '/glburl'])
      expect((await eve.fetch(pathOf(path), { method: 'DELETE' })).status).toBe(204)
    expect(await readProblem(await eve.fetch(pathOf('/glburl')))).toMatchObject([404, { code: 'avatar-unset' }])
    expect((await eve.call(getProfile, me)).avatar).toBeNull()
  })

  test.for(['png', 'jpeg', 'webp', 'avif'] as const)(
    'is stored as a small PNG without metadata from %s',
    async (type) => {
      const { eve } = users()
      const photo = await createPicture('#80a020', 2000, 1000)
        .withExif({ IFD0: { Copyright: 'Eve' }, IFD3: { GPSLatitudeRef: 'N' } })
        .toFormat(type)
        .toBuffer()
      const uploaded = await send(eve, 'POST', pathOf(), photo, `image/${type}`)
      const { pngUrl } = (await uploaded.json()) as { pngUrl: string }
      const stored = await fetch(pngUrl)
      const metadata = await sharp(Buffer.from(await stored.arrayBuffer())).metadata()
      expect(metadata).toMatchObject({ format: 'png', width: 1024, height: 512 })
      expect(metadata.exif).toBeUndefined()
    },
  )

  test('is changed by its owner and by administrators, and each change is audited with the old and new files', async () => {
    const { ada, dev, eve } = users()
    await eve.call(api.uploadAvatar, { ...me, body: { png: toFile(picture) } })
    for (const id of [eve.id, 'nobody'])
      expect(await readProblem(await send(dev, 'POST', pathOf('', id), picture, 'image/png'))).toMatchObject([
        403,
        { code: 'not-yours' },
      ])
    const missing = await send(ada, 'POST', pathOf('', 'nobody'), picture, 'image/png')
    expect(await readProblem(missing)).toMatchObject([404, { code: 'profile-not-found' }])
    expect((await ada.fetch(pathOf('/pngurl', eve.id), { method: 'DELETE' })).status).toBe(204)
    const recorded = await service.sql`
      select actor_id as actor, before, after from audit_events
      where action = 'profile.avatar-changed' and target_id = ${eve.id} order by at desc, id desc limit 2`
    const file = { pngHash: expect.stringMatching(/^[0-9a-f]{64}$/), pngSource: 'upload' }
    const none = { pngHash: null, pngSource: null }
    expect([...recorded]).toEqual([
      { actor: ada.id, before: file, after: none },
      { actor: eve.id, before: none, after: file },
    ])
  })

  test('has a poster of its model only as long as the user has no picture of their own', async () => {
    const { eve } = users()
    const upload = (png: Buffer<ArrayBuffer>, poster?: '1') =>
      eve.call(api.uploadAvatar, { ...me, body: { png: toFile(png), ...(poster && { poster }) } })
    const first = await upload(picture, '1')
    expect(first).toMatchObject({ pngSource: 'poster', source: 'poster' })
    const second = await upload(otherPicture, '1')
    expect(second.pngUrl).not.toBe(first.pngUrl)
    const own = await upload(picture)
    expect(own).toMatchObject({ pngUrl: first.pngUrl, pngSource: 'upload' })
    expect(await upload(otherPicture, '1')).toMatchObject({ pngUrl: first.pngUrl, pngSource: 'upload' })
  })

  test('is one whole avatar after two uploads at once', async () => {
    const { ada, eve } = users()
    const pairs = [
      { png: picture, glb: createModel({ triangles: 1 }) },
      { png: otherPicture, glb: createModel({ triangles: 2 }) },
    ].map(({ png, glb }) => ({ png: toFile(png), glb: toFile(glb) }))
    const upload = (visitor: Visitor, body: object = {}) =>
      visitor.call(api.uploadAvatar, { params: { profileId: eve.id }, body })
    const uploaded = await Promise.all([upload(ada, pairs[0]), upload(eve, pairs[1])])
    const { pngUrl, glbUrl } = await eve.call(api.getAvatar, me)
    const whole = uploaded.map(({ pngUrl, glbUrl }) => ({ pngUrl, glbUrl }))
    expect(new Set(uploaded.map(({ pngUrl }) => pngUrl)).size).toBe(2)
    expect(whole).toContainEqual({ pngUrl, glbUrl })
  })

  test('accepts one upload of a person at a time', async () => {
    const { eve } = users()
    const upload = () => send(eve, 'POST', pathOf(), picture, 'image/png')
    const statuses = (await Promise.all([upload(), upload(), upload()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 429, 429])
    expect((await upload()).status).toBe(200)
  })
})

describe('a file', () => {
  const upload = async (body: Record<string, File>) => users().eve.call(api.uploadAvatar, { ...me, body })

  test('may be read by any page, is cached for ever, and is sent whole or in part', async () => {
    const model = createModel()
    const { glbUrl } = await upload({ glb: toFile(model) })
    const url = String(glbUrl)
    const whole = await fetch(url)
    expect(Buffer.from(await whole.arrayBuffer()).equals(model)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'model/gltf-binary',
      'content-length': String(model.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
    })
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(model.length)])
    const etag = String(whole.headers.get('etag'))
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const part = await fetch(url, { headers: { range: 'bytes=4-11', 'if-range': etag } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-11/${model.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(model.subarray(4, 12))).toBe(true)
    const beyond = await fetch(url, { headers: { range: `bytes=${model.length}-` } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${model.length}`])
    const changed = await fetch(url, { headers: { range: 'bytes=4-11', 'if-range': '"other"' } })
    expect(changed.status).toBe(200)
  })

  test('of a picture is scaled down to 96 pixels for lists, as far as it is larger', async () => {
    const readSmall = async (picture: Buffer<ArrayBuffer>) => {
      const { pngUrl } = await upload({ png: toFile(picture) })
      const small = await fetch(toSmall(pngUrl))
      const { format, width, height } = await sharp(Buffer.from(await small.arrayBuffer())).metadata()
      return { url: String(pngUrl), small, metadata: { format, width, height } }
    }
    const { url, small, metadata } = await readSmall(await createPicture('#80a020', 500, 250).png().toBuffer())
    expect(metadata).toEqual({ format: 'png', width: 96, height: 48 })
    const whole = await fetch(url)
    expect(small.headers.get('etag')).not.toBe(whole.headers.get('etag'))
    expect(small.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const length = String(small.headers.get('content-length'))
    const part = await fetch(toSmall(url), { headers: { range: 'bytes=0-7' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 0-7/${length}`])
    for (const name of ['-97.png', '-96.glb', '-96']) expect((await fetch(url.replace('.png', name))).status).toBe(404)
    expect((await readSmall(picture)).metadata).toEqual({ format: 'png', width: 64, height: 48 })
  })

  test('that was stored without a small picture is sent whole, and has one after the next upload', async () => {
    const { pngUrl } = await upload({ png: toFile(otherPicture) })
    await service.sql`update avatar_files set small = null`
    const etagOf = async (url: string | null) => (await fetch(String(url))).headers.get('etag')
    expect(await etagOf(toSmall(pngUrl))).toBe(await etagOf(pngUrl))
    await users().dev.call(api.uploadAvatar, { ...me, body: { png: toFile(otherPicture) } })
    expect(await etagOf(toSmall(pngUrl))).not.toBe(await etagOf(pngUrl))
  })

  test('does not exist under another extension or name', async () => {
    const { pngUrl } = await upload({ png: toFile(picture) })
    for (const url of [String(pngUrl).replace('.png', '.glb'), `${pngUrl}x`, String(pngUrl).replace(/.{68}$/, 'x.png')])
      expect((await fetch(url)).status).toBe(404)
  })

  test('is stored once for all users, and deleted when no avatar refers to it', async () => {
    const { dev } = users()
    const { pngUrl } = await upload({ png: toFile(picture) })
    await dev.call(api.uploadAvatar, { ...me, body: { png: toFile(picture) } })
    const sweep = async () => {
      await service.sql`update avatar_files set used_at = now() - interval '61 seconds'`
      await service.jobs.find(({ name }) => name === 'sweep')?.run()
      return (await fetch(String(pngUrl))).status
    }
    await users().eve.fetch(pathOf('/pngurl'), { method: 'DELETE' })
    expect(await sweep()).toBe(200)
    await dev.fetch(pathOf('/pngurl'), { method: 'DELETE' })
    expect(await sweep()).toBe(404)
  })

  test('of this server is set by its URL without a download', async () => {
    const { dev } = users()
    const { pngUrl } = await upload({ png: toFile(picture) })
    for (const url of [String(pngUrl), toSmall(pngUrl)])
      expect(await dev.call(api.putAvatarPngUrl, { ...me, body: url })).toEqual({ pngurl: pngUrl })
    expect(await dev.call(api.getAvatar, me)).toMatchObject({ pngUrl, pngSource: 'url' })
    const asModel = await send(dev, 'PUT', pathOf('/glburl'), String(pngUrl), 'text/plain')
    expect(await readProblem(asModel)).toMatchObject([400, { code: 'avatar-url-refused' }])
  })
})

test.for([
  ['without TLS', 'http://example.com/a.glb'],
  ['with a password', 'https://eve:secret@example.com/a.glb'],
  ['with a port', 'https://example.com:8443/a.glb'],
])('a URL %s is refused without a download', async ([, url = '']) => {
  const refused = await send(users().eve, 'PUT', pathOf('/glburl'), url, 'text/plain')
  expect(await readProblem(refused)).toMatchObject([400, { code: 'avatar-url-refused', errors: [{ field: 'glburl' }] }])
})

test('a URL of Ready Player Me is refused with the reason', async () => {
  for (const host of ['models.readyplayer.me', 'readyplayer.me', 'api.readyplayer.me.'])
    expect(
      await readProblem(await send(users().eve, 'PUT', pathOf('/glburl'), `https://${host}/a.glb`, 'text/plain')),
    ).toMatchObject([
      400,
      {
        code: 'avatar-url-refused',
        detail: 'Ready Player Me ended on 31 January 2026, and its URLs no longer work. Upload the file instead.',
        errors: [{ field: 'glburl' }],
      },
    ])
})
