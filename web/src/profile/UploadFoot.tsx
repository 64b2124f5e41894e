import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import type { UploadState } from './use-upload.ts'

interface UploadFootProps {
  state: UploadState
  /** The label of the button that starts the upload. */
  action: string
  isReady: boolean
  /** Omitted if the button submits a form. */
  onSend?: () => void
  onCancelUpload: () => void
  onClose: () => void
}

/** The foot of a dialog that uploads: what becomes of the file, progress or failure, and the buttons. */
export function UploadFoot({ state, action, isReady, onSend, onCancelUpload, onClose }: UploadFootProps) {
  const isSending = state.phase === 'sending'
  return (
    <div className="mt-4 grid gap-4">
      <p className="text-[13px] text-ink3">
        Anyone who has its link can see the file. Caches may keep a copy for a year, even after you remove it.
      </p>
      {state.phase === 'failed' && <ErrorCard failure={state.failure} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {isSending && <Progress fraction={state.fraction} />}
        <Button onClick={isSending ? onCancelUpload : onClose}>{isSending ? 'Cancel upload' : 'Cancel'}</Button>
        <Button
          variant="primary"
          type={onSend ? 'button' : 'submit'}
          isBusy={isSending}
          disabled={!isReady}
          onClick={onSend}
        >
          {action}
        </Button>
      </div>
    </div>
  )
}

function Progress({ fraction }: { fraction: number }) {
  const percent = Math.round(fraction * 100)
  const isSent = percent >= 100
  return (
    <div className="mr-auto flex min-w-32 flex-1 items-center gap-3 text-[13px] text-ink2">
      <progress
        className="h-1.5 min-w-0 flex-1 accent-[var(--stamp)]"
        max={100}
        aria-label="Upload"
        {...(!isSent && { value: percent })}
      />
      <span className="whitespace-nowrap tabular-nums">{isSent ? 'Checking the file' : `${percent}%`}</span>
    </div>
  )
}
