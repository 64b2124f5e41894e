import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAvatar, uploadAvatar } from '@passport/contract/avatar'
import * as api from '@passport/contract/ready-player-me'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { issueBearerToken } from '../test-bearer.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { createDatabaseEnvironment, useProcesses } from '../test-processes.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { archiveAvatar } from './archive-avatar.ts'
import { createModel } from './test-models.ts'

const processes = useProcesses()
const folder = mkdtempSync(join(tmpdir(), 'passport-avatars-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

let service: TestService
let [ada, dev, eve]: Visitor[] = []
let imported: { code: number | null; output: string }
const users = () => ({ ada: ada as Visitor, dev: dev as Visitor, eve: eve as Visitor })
const me = { params: { profileId: 'me' } }
const idOf = (digit: string) => digit.repeat(24)
const ownModel = createModel({ triangles: 2 })

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  dev = await service.as('dev')
  eve = await service.as('eve')
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'blue' } })
    .png()
    .toBuffer()
  await dev.call(uploadAvatar, { ...me, body: { glb: new File([ownModel], 'glb') } })
  writeFileSync(join(folder, `${idOf('a')}.glb`), createModel())
  writeFileSync(join(folder, `${idOf('a')}.png`), picture)
  writeFileSync(join(folder, `${idOf('b')}.glb`), createModel())
  writeFileSync(join(folder, `${idOf('c')}.glb`), createModel().subarray(0, 100))
  const rows = [
    ['avatarId', 'profileId'],
    [idOf('A'), eve.id],
    [idOf('b'), dev.id],
    [idOf('c'), ada.id],
    [idOf('d'), ada.id],
    [idOf('b'), 'nobody'],
    ['../passwd', ada.id],
  ]
  writeFileSync(join(folder, 'avatars.csv'), rows.map((row) => row.join(',')).join('\r\n'))
  imported = await runImport(folder)
})

const runImport = async (...args: string[]) =>
  processes.run('commands/import-avatars.ts', args, await createDatabaseEnvironment(service.sql)).exited

test('import-avatars archives what is valid, and names each line that is not', () => {
  expect(imported).toMatchObject({
    code: 1,
    output: [
      'Archived 2 of 6 avatars; 0 already were.',
      'Line 4: cccccccccccccccccccccccc: The model is incomplete: it declares 636 bytes and has 100.',
      `Line 5: The folder has neither ${idOf('d')}.glb nor ${idOf('d')}.png.`,
      'Line 6: No user has the id nobody.',
      'Line 7: ../passwd is no avatar id.',
      '',
    ].join('\n'),
  })
})

test('an archived avatar is linked, with copies on this server, and is the avatar of a user without one', async () => {
  const { eve } = users()
  const archived = await eve.call(api.getReadyPlayerMe, me)
  const prefix = `${service.url}/passport/media/avatars/`
  expect(archived).toEqual({
    linked: true,
    avatarId: idOf('a'),
    glbUrl: expect.stringMatching(new RegExp(`^${prefix}[0-9a-f]{64}\\.glb$`)),
    pngUrl: expect.stringMatching(new RegExp(`^${prefix}[0-9a-f]{64}\\.png$`)),
    archivedAt: expect.any(String),
  })
  expect(await eve.call(getAvatar, me)).toMatchObject({
    glbUrl: archived.glbUrl,
    pngUrl: archived.pngUrl,
    pngSource: 'legacy-readyplayerme',
    source: 'legacy-readyplayerme',
  })
  const events = await service.sql`
    select action, actor_id as actor, reason from audit_events where target_id = ${eve.id} and action like 'profile.%'
    order by at, id`
  expect([...events]).toEqual([
    { action: 'profile.avatar-archived', actor: null, reason: 'command line' },
    { action: 'profile.avatar-changed', actor: null, reason: 'command line' },
  ])
})

test('an avatar that the user chose stays, and the archived files are kept', async () => {
  const { dev, eve } = users()
  const { glbUrl } = await dev.call(api.getReadyPlayerMe, me)
  const { pngUrl } = await eve.call(api.getReadyPlayerMe, me)
  await eve.fetch('/passport/profile/me/avatar/pngurl', { method: 'DELETE' })
  expect(await dev.call(getAvatar, me)).toMatchObject({ glbSource: 'upload' })
  await service.sql`update avatar_files set used_at = now() - interval '61 seconds'`
  await service.jobs.find(({ name }) => name === 'sweep')?.run()
  expect(Buffer.from(await (await fetch(String(glbUrl))).arrayBuffer()).equals(createModel())).toBe(true)
  expect((await fetch(String(pngUrl))).status).toBe(200)
})

test('a second import changes nothing', async () => {
  const count = async () => (await service.sql`select from audit_events`).count
  const before = await count()
  expect((await runImport(folder)).output).toContain('Archived 0 of 6 avatars; 2 already were.')
  expect(await count()).toBe(before)
  expect(await runImport()).toMatchObject({ code: 1, output: expect.stringContaining('npm run import-avatars') })
})

test('a later archive of the same user replaces the earlier one', async () => {
  const { eve } = users()
  const model = {
    hash: 'f'.repeat(64),
    file: { content: createModel({ triangles: 3 }) },
    source: 'legacy-readyplayerme',
  } as const
  const archive = () =>
    archiveAvatar(service.sql, eve.id, { avatarId: idOf('e'), png: undefined, glb: model }, { reason: 'command line' })
  expect([await archive(), await archive()]).toEqual(['archived', 'unchanged'])
  const archived = await eve.call(api.getReadyPlayerMe, me)
  expect(archived).toMatchObject({ pngUrl: null, glbUrl: expect.stringContaining(model.hash) })
})

test('the state of the service is retired, for users with and without an archived avatar', async () => {
  const { ada, eve } = users()
  const info = {
    provider: 'readyplayerme',
    available: false,
    status: 'retired',
    retiredAt: '2026-01-31',
    reason: 'Service ended after acquisition by Netflix.',
    linked: true,
    createUrl: null,
    alternatives: ['upload'],
  }
  expect(await eve.call(api.getReadyPlayerMeInfo, me)).toEqual(info)
  const path = '/passport/account/me/readyplayerme'
  const response = await ada.fetch(`${path}/info`)
  expect(await response.json()).toEqual({ ...info, linked: false })
  expect(response.headers.get('cache-control')).toBe('private, max-age=300')
  const unlinked = await ada.fetch(path)
  expect([unlinked.status, await unlinked.json()]).toMatchObject([404, { code: 'readyplayerme-not-linked' }])
})

test('is read by its user, by a token of theirs, and by administrators', async () => {
  const { ada, dev, eve } = users()
  for (const rest of ['', '/info']) {
    const pathOf = (id: string) => `/passport/account/${id}/readyplayerme${rest}`
    for (const id of [eve.id, 'nobody']) {
      const refused = await dev.fetch(pathOf(id))
      expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'not-yours' }])
    }
    expect((await ada.fetch(pathOf(eve.id))).status).toBe(200)
    expect((await ada.fetch(pathOf('nobody'))).status).toBe(404)
    const headers = { authorization: `Bearer ${await issueBearerToken(service, 'eve')}` }
    expect((await fetch(service.url + pathOf('me'), { headers })).status).toBe(200)
  }
})
