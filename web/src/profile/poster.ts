import { uploadAvatar } from '@passport/contract/avatar'
import { call } from '../app/api.ts'
import { isGlb } from './model-file.ts'
import { NoWebGl, renderPoster } from './turntable-scene.ts'

/** The picture of a model, or why this browser has none. */
export type Poster = { png: File } | { reason: string }

/** Renders the picture of a GLB file. Returns `not GLB` for another file. */
export async function readPoster(bytes: ArrayBuffer): Promise<Poster | 'not GLB'> {
  if (!isGlb(bytes)) return 'not GLB'
  try {
    return { png: new File([await renderPoster(bytes)], 'poster.png', { type: 'image/png' }) }
  } catch (error) {
    return { reason: `This browser ${error instanceof NoWebGl ? 'has no WebGL' : 'cannot draw the model'}` }
  }
}

/** Renders the picture of the caller's stored model and uploads it. Returns why there is none, or undefined. */
export async function addPoster(glbUrl: string, signal: AbortSignal): Promise<string | undefined> {
  const response = await fetch(glbUrl, { signal })
  if (!response.ok) throw new Error(`${response.status} for the model`)
  const poster = await readPoster(await response.arrayBuffer())
  if (poster === 'not GLB') throw new Error('The stored model is no GLB file')
  if ('reason' in poster) return poster.reason
  await call(uploadAvatar, { params: { profileId: 'me' }, body: { png: poster.png, poster: '1' } }, { signal })
}
