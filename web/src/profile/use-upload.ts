import { type Avatar, type AvatarUpload, uploadAvatar } from '@passport/contract/avatar'
import { ApiError } from '@passport/contract/call'
import { useEffect, useRef, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import type { Failure } from '../ui/ErrorCard.tsx'
import { refreshAvatars } from './refresh-avatars.ts'
import { sendWithProgress } from './send-with-progress.ts'

export type UploadState =
  | { phase: 'idle' }
  /** `fraction` is the sent part of the body; at 1 the server checks the file. */
  | { phase: 'sending'; fraction: number }
  | { phase: 'failed'; failure: Failure }

/**
 * Changes the avatar of the caller; `onSaved` may continue the work, which can be cancelled too. After a failure the same upload can be sent again. It is cancelled with the component.
 */
export function useUpload(operation: string, onSaved: (avatar: Avatar, signal: AbortSignal) => void | Promise<void>) {
  const [state, setState] = useState<UploadState>({ phase: 'idle' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  async function send(upload: AvatarUpload | Promise<AvatarUpload>) {
    const limit = new AbortController()
    running.current = limit
    setState({ phase: 'sending', fraction: 0 })
    const report = (fraction: number) => !limit.signal.aborted && setState({ phase: 'sending', fraction })
    try {
      const sent = { params: { profileId: 'me' }, body: await upload }
      const options = { signal: limit.signal, send: (request: Request) => sendWithProgress(request, report) }
      await onSaved(await call(uploadAvatar, sent, options), limit.signal)
    } catch (error) {
      if (!limit.signal.aborted) setState({ phase: 'failed', failure: describe(error, operation) })
    } finally {
      // A cancelled upload may have arrived whole.
      refreshAvatars()
    }
  }

  function cancel() {
    running.current?.abort()
    setState({ phase: 'idle' })
  }
  return { state, send, cancel }
}

/** Describes a failure with the errors in the file. */
function describe(error: unknown, operation: string): Failure {
  const failure = toFailure(error, operation)
  const errors = error instanceof ApiError ? (error.problem?.errors ?? []) : []
  const reasons = [...new Set(errors.map(({ message }) => message))].slice(0, 3)
  return reasons.length > 0 ? { ...failure, detail: reasons.join(' ') } : failure
}
