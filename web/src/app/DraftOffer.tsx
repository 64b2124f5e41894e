import { Button } from '../ui/Button.tsx'
import type { OfferedDraft } from './drafts.ts'

/** Offers the draft kept when the page left for a sign-in. */
export function DraftOffer({ draft }: { draft: OfferedDraft | undefined }) {
  if (!draft) return null
  return (
    <div
      role="status"
      className="flex basis-full flex-wrap items-center gap-2 rounded-box border border-line bg-selection px-4 py-2"
    >
      <span className="mr-auto">Unsaved changes from before you signed in again.</span>
      <Button isSmall onClick={draft.discard}>
        Discard
      </Button>
      <Button isSmall variant="primary" onClick={draft.restore}>
        Restore
      </Button>
    </div>
  )
}
