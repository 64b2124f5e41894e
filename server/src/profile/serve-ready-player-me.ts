import * as api from '@passport/contract/ready-player-me'
import type { Feature } from '../feature.ts'
import { type Caller, isAdministrator } from '../http/caller.ts'
import { notYours } from '../http/problems.ts'
import * as store from './avatar-store.ts'
import { toModelUrl, toPictureUrl } from './avatar-url.ts'
import { requireProfile } from './change.ts'
import { resolveProfileId } from './own-profile.ts'
import * as problems from './problems.ts'

/** Avatars from Ready Player Me, a service that ended on 31 January 2026: only archived ones are left. */
export const serveReadyPlayerMe: Feature = ({ serve }, { config: { publicUrl }, sql }) => {
  const findArchived = async (params: { profileId: string }, caller: Caller) => {
    const id = resolveProfileId(params, caller)
    if (id !== caller.id && !isAdministrator(caller)) throw notYours('You can read only your own archived avatar.')
    await requireProfile(sql, id)
    return store.findArchived(sql, id)
  }

  serve(api.getReadyPlayerMe, async ({ params, caller }) => {
    const archived = await findArchived(params, caller)
    if (!archived) throw problems.readyPlayerMeNotLinked()
    const { avatarId, pngHash, glbHash, archivedAt } = archived
    return {
      linked: true as const,
      avatarId,
      glbUrl: toModelUrl(publicUrl, glbHash),
      pngUrl: toPictureUrl(publicUrl, pngHash),
      archivedAt,
    }
  })

  serve(api.getReadyPlayerMeInfo, async ({ params, caller }) => ({
    provider: 'readyplayerme' as const,
    available: false as const,
    status: 'retired' as const,
    retiredAt: '2026-01-31' as const,
    reason: 'Service ended after acquisition by Netflix.',
    linked: (await findArchived(params, caller)) !== undefined,
    createUrl: null,
    alternatives: ['upload' as const],
  }))
}
