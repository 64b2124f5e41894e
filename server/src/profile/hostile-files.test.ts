import { spawnSync } from 'node:child_process'
import { maxModelBytes } from '@passport/contract/avatar'
import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Problem } from '../http/problem.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { createModelChecker } from './model.ts'
import { convertPicture } from './picture.ts'
import {
  addTextToPng,
  createHostileModels,
  createHostilePictures,
  createLargePng,
  createPngBomb,
} from './test-hostile-files.ts'
import { createModel } from './test-models.ts'
import { createQueue } from './work-queue.ts'

let service: TestService
let eve: Visitor
const models = createHostileModels()
const pictures = await createHostilePictures()
const picture = () =>
  sharp({ create: { width: 64, height: 64, channels: 3, background: 'green' } })
    .png()
    .toBuffer()

beforeAll(async () => {
  service = await startTestService()
  eve = await service.as('eve')
})
beforeEach(async () => {
  await service.sql`delete from rate_limits`
})

const upload = (bytes: Buffer<ArrayBuffer>, type: string) =>
  eve.fetch('/passport/profile/me/avatar', { method: 'POST', headers: { 'content-type': type }, body: bytes })

const checkModel = createModelChecker()
/** The most CPU time that a file may take of the main thread, which serves all other requests. */
const maxCpuMs = 50

/**
 * Returns how a check ends, and the CPU time of this thread in milliseconds: the least of up to three runs, as garbage
 * of other tests may be collected in one.
 */
async function measure(check: () => Promise<unknown>, runs = 3): ReturnType<typeof measureOnce> {
  const result = await measureOnce(check)
  return result.cpuMs <= maxCpuMs || runs === 1 ? result : measure(check, runs - 1)
}

async function measureOnce(check: () => Promise<unknown>) {
  const before = process.threadCpuUsage()
  const outcome = await check().catch((problem: Problem) => problem)
  const { user, system } = process.threadCpuUsage(before)
  return { outcome, cpuMs: (user + system) / 1000 }
}

describe('a picture is refused with the reason, at little cost for other requests', () => {
  const sentences = new Set<string>()
  test.for(Object.entries(pictures))('%s', async ([, { code, bytes }]) => {
    const { outcome, cpuMs } = await measure(() => convertPicture(bytes))
    expect(outcome).toMatchObject({ status: 400, code: 'avatar-invalid', errors: [{ field: 'png', code }] })
    sentences.add((outcome as Problem).message)
    expect(cpuMs).toBeLessThanOrEqual(maxCpuMs)
  })
  test('which is a sentence of its own', () => expect(sentences.size).toBe(Object.keys(pictures).length))
})

describe('a picture is accepted', () => {
  const convert = async (bytes: Buffer) => sharp((await convertPicture(bytes)).content).metadata()
  test('of exactly 40 million pixels', async () => {
    expect(await convert(createLargePng(8000, 5000))).toMatchObject({ width: 1024, height: 640 })
  })

  test.for([
    ['another picture', (jpeg: Buffer) => jpeg],
    ['data of a camera', () => Buffer.from('\0\0\x01\nImage_UTC_DataSEFHSEFT', 'latin1')],
    ['a film', () => Buffer.from('\0\0\0\x18ftypmp42', 'latin1')],
  ] as const)('that is a JPEG with %s behind it', async ([, create]) => {
    const jpeg = await sharp(await picture())
      .jpeg()
      .toBuffer()
    expect(await convert(Buffer.concat([jpeg, create(jpeg)]))).toMatchObject({ format: 'png', width: 64 })
  })

  test('with metadata of 4 MiB', async () => {
    const bytes = addTextToPng(await picture(), 4 * 1024 * 1024)
    expect(await convert(bytes)).toMatchObject({ format: 'png', width: 64 })
  })
})

describe('a model is refused with the reason, at little cost for other requests', () => {
  const sentences = new Set<string>()
  test.for(Object.entries(models))('%s', async ([, { code, bytes }]) => {
    const { outcome, cpuMs } = await measure(() => checkModel(bytes))
    expect(outcome).toMatchObject({ status: 400, code: 'avatar-invalid' })
    const { message, errors } = outcome as Problem
    expect(errors?.[0]).toMatchObject({ field: 'glb', code })
    sentences.add(message)
    expect(cpuMs).toBeLessThanOrEqual(maxCpuMs)
  })
  test('which is a sentence of its own', () => expect(sentences.size).toBe(Object.keys(models).length))
})

test('a model of 15 MiB costs other requests little', async () => {
  const model = createModel({ size: maxModelBytes })
  const { outcome, cpuMs } = await measure(() => checkModel(model))
  expect(outcome).toMatch(/^[0-9a-f]{64}$/)
  expect(cpuMs).toBeLessThanOrEqual(maxCpuMs)
})

test('a refused file leaves the avatar as it was', async () => {
  const before = await (await upload(createModel(), 'model/gltf-binary')).json()
  const form = new FormData()
  form.append('png', new File([new Uint8Array(await picture())], 'png'))
  form.append('glb', new File([new Uint8Array(models['nodes in a cycle']?.bytes ?? [])], 'glb'))
  const refused = await eve.fetch('/passport/profile/me/avatar', { method: 'POST', body: form })
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { detail: 'A node of the model contains itself.', errors: [{ field: 'glb', code: 'model-cycle' }] },
  ])
  expect(await (await eve.fetch('/passport/profile/me/avatar')).json()).toEqual(before)
})

test('a killed decoder rejects its picture, and the next upload works', async () => {
  const bytes = await picture()
  const killed = upload(bytes, 'image/png')
  await expect
    .poll(() => {
      const { stdout } = spawnSync('pgrep', ['-P', String(process.pid), '-f', 'picture-child'], { encoding: 'utf8' })
      const pids = stdout.split('\n').filter(Boolean).map(Number)
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      return pids.length
    })
    .toBeGreaterThan(0)
  const refused = await killed
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { code: 'avatar-invalid', errors: [{ code: 'picture-too-costly' }] },
  ])
  expect((await upload(bytes, 'image/png')).status).toBe(200)
})

test('work runs one at a time; eight wait, and the next is refused with Retry-After', async () => {
  const enqueue = createQueue(8)
  let running = 0
  const release = Promise.withResolvers<void>()
  const work = async () => {
    expect(++running).toBe(1)
    await release.promise
    running--
  }
  const accepted = Array.from({ length: 9 }, () => enqueue(work))
  await expect(enqueue(work)).rejects.toMatchObject({
    status: 503,
    code: 'avatar-busy',
    headers: { 'Retry-After': '5' },
  })
  release.resolve()
  await Promise.all(accepted)
  await enqueue(async () => {})
})

describe('a limit of models', () => {
  const asList = (length: number) => Array.from({ length }, () => ({}))
  /** Creates a model with `extras` that depend on the rest of its JSON. */
  const withExtras = (create: (json: string) => unknown) =>
    createModel({ edit: (model) => Object.assign(model, { extras: create(JSON.stringify({ ...model, extras: '' })) }) })
  test.for([
    ['200,000 triangles', () => createModel({ triangles: 200_000 })],
    ['16 materials', () => createModel({ edit: (model) => Object.assign(model, { materials: asList(16) }) })],
    [
      '1,000 nodes',
      () => createModel({ edit: (model) => Object.assign(model, { nodes: [{ mesh: 0 }, ...asList(999)] }) }),
    ],
    ['JSON of 4 MiB', () => withExtras(({ length }) => 'x'.repeat(4 * 1024 * 1024 - length))],
    ['JSON of 64 levels', () => withExtras(() => JSON.parse('['.repeat(63) + ']'.repeat(63)))],
    ['JSON of 200,000 values', () => withExtras((json) => Array(200_000 - json.replace(/[^,[{]/g, '').length).fill(0))],
    ['8 images of 2048 × 2048 pixels', () => createModel({ images: Array(8).fill(createPngBomb(2048, 2048)) })],
  ] as const)('allows %s', async ([, create]) => {
    expect(await checkModel(create())).toMatch(/^[0-9a-f]{64}$/)
  })
})
