import { join } from 'node:path'
import { runServer } from '@passport/world/process'
import { median, percentile } from './percentile.ts'
import { authenticateClient, type PermissionClient } from './permission-client.ts'
import type { Figures } from './permission-figures.ts'
import { stop } from './server.ts'

const writers = 16
const seconds = 5
const visibilitySamples = 200

/**
 * Measures single writes, their visibility in the writing process, and the delay until they are visible in another
 * process on the same database.
 */
export async function measureWrites(client: PermissionClient, env: Record<string, string>): Promise<Figures> {
  const { writeCount, visibleCount } = await runWriters(client)
  const { DATA_DIR: dataDir = '', ...rest } = env
  const sockets = join(dataDir, 'postgres/sockets')
  const otherServer = await runServer({
    ...rest,
    DATABASE_URL: `postgres://passport@localhost/passport?host=${sockets}`,
  })
  try {
    const delays = await measureVisibility(client, await authenticateClient(otherServer))
    return {
      writes: writeCount / seconds,
      ownWrites: (visibleCount / writeCount) * 100,
      elsewhereP50: median(delays),
      elsewhereP99: percentile(delays, 0.99),
    }
  } finally {
    await stop(otherServer)
  }
}

/**
 * Runs 16 writers, each of which writes in sequence and checks each acknowledged write. The checks count towards the
 * time.
 */
async function runWriters(client: PermissionClient): Promise<{ writeCount: number; visibleCount: number }> {
  let [writeCount, visibleCount] = [0, 0]
  const end = performance.now() + seconds * 1000
  const writeUntilEnd = async () => {
    while (performance.now() < end) {
      const id = `written-${writeCount++}`
      await writeOne(client, id)
      if (await isVisible(client, id)) visibleCount++
    }
  }
  await Promise.all(Array.from({ length: writers }, writeUntilEnd))
  return { writeCount, visibleCount }
}

/**
 * Returns the milliseconds from each acknowledgement until the write is visible in the other process, with the
 * resolution of one request.
 */
async function measureVisibility(client: PermissionClient, otherClient: PermissionClient): Promise<number[]> {
  while ((await otherClient.call('GET', '/status'))['counts'] === null);
  const delays: number[] = []
  for (let index = 0; index < visibilitySamples; index++) {
    const id = `elsewhere-${index}`
    await writeOne(client, id)
    const startedAt = performance.now()
    while (!(await isVisible(otherClient, id)));
    delays.push(performance.now() - startedAt)
  }
  return delays
}

const writer = { type: 'user', id: 'writer' }

async function writeOne({ call }: PermissionClient, id: string) {
  const relationship = { resource: { type: 'document', id }, relation: 'viewer', subject: writer }
  await call('POST', '/relationships', { updates: [{ operation: 'create', relationship }] })
}

async function isVisible({ call }: PermissionClient, id: string): Promise<boolean> {
  const request = { resource: { type: 'document', id }, permission: 'view', subject: writer }
  return (await call('POST', '/check', request))['permissionship'] === 'hasPermission'
}
