import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeTextFile, UndecodableText } from '@passport/contract/text-file'
import type { Sql } from '../database/sql.ts'
import { InvalidCsv, readCsvRecords } from '../http/csv-records.ts'
import { Problem } from '../http/problem.ts'
import { archiveAvatar } from '../profile/archive-avatar.ts'
import { createModelChecker } from '../profile/model.ts'
import { convertPicture } from '../profile/picture.ts'
import { createFileChecks } from '../profile/read-file.ts'
import { runOnDatabase, UsageError } from './run.ts'

const usage = `npm run import-avatars -- <folder>   archives avatars of Ready Player Me

The folder has a file avatars.csv with the columns avatarId and profileId, and for each avatar the files
<avatarId>.glb and <avatarId>.png, or one of them.`

const { readPicture, readModel } = createFileChecks(convertPicture, createModelChecker())

const [folder, ...others] = process.argv.slice(2)

await runOnDatabase(async (sql) => {
  if (folder === undefined || others.length > 0) throw new UsageError(usage)
  const rows = readRows(join(folder, 'avatars.csv'))
  let archived = 0
  const failures: string[] = []
  for (const row of rows) {
    const outcome = await importRow(sql, folder, row)
    if (outcome === 'archived') archived++
    else if (outcome !== 'unchanged') failures.push(`Line ${row.line}: ${outcome}`)
  }
  console.log(
    `Archived ${archived} of ${rows.length} avatars; ${rows.length - archived - failures.length} already were.`,
  )
  if (failures.length > 0) throw new UsageError(failures.join('\n'))
})

interface Row {
  line: number
  avatarId: string
  profileId: string
}

function readRows(file: string): Row[] {
  if (!existsSync(file)) throw new UsageError(`${file} does not exist.\n\n${usage}`)
  try {
    const [header, ...records] = readCsvRecords(decodeTextFile(readFileSync(file)))
    const names = header?.cells.map((name) => name.trim()) ?? []
    const [avatarId, profileId] = [names.indexOf('avatarId'), names.indexOf('profileId')]
    if (avatarId < 0 || profileId < 0)
      throw new UsageError(`${file} has no columns avatarId and profileId.\n\n${usage}`)
    return records.map(({ line, cells }) => {
      const read = (index: number) => cells[index]?.trim() ?? ''
      return { line, avatarId: read(avatarId).toLowerCase(), profileId: read(profileId) }
    })
  } catch (error) {
    if (error instanceof InvalidCsv) throw new UsageError(`${file}: ${error.message}`)
    if (error instanceof UndecodableText) throw new UsageError(`${file} ${error.message}.`)
    throw error
  }
}

/** Archives one avatar; returns the outcome, or what is wrong. */
async function importRow(sql: Sql, folder: string, { avatarId, profileId }: Row): Promise<string> {
  if (!/^[0-9a-f]{24}$/.test(avatarId)) return `${avatarId || 'An empty text'} is no avatar id.`
  const [png, glb] = ['png', 'glb'].map((extension) => join(folder, `${avatarId}.${extension}`))
  const read = (file = '') => (existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined)
  const [picture, model] = [read(png), read(glb)]
  if (!picture && !model) return `The folder has neither ${avatarId}.glb nor ${avatarId}.png.`
  const source = 'legacy-readyplayerme' as const
  try {
    const entry = {
      avatarId,
      png: picture && (await readPicture(picture, source)),
      glb: model && (await readModel(model, source)),
    }
    const outcome = await archiveAvatar(sql, profileId, entry, { reason: 'command line' })
    return outcome === 'unknown' ? `No user has the id ${profileId}.` : outcome
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return `${avatarId}: ${error.message}`
  }
}
