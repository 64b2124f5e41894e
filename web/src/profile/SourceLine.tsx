import type { Avatar, ModelSource, PictureSource } from '@passport/contract/avatar'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { sourceNames } from './avatar-sources.ts'

interface SourceLineProps {
  avatar: Avatar
  source: PictureSource | ModelSource | null
}

/** Where a picture or model comes from, and when the avatar was changed. */
export const SourceLine = ({ avatar: { updatedAt }, source }: SourceLineProps) => (
  <>
    {source && sourceNames[source]}
    {updatedAt && (
      <span className="text-ink3">
        {' · '}
        <RelativeTime at={updatedAt} />
      </span>
    )}
  </>
)
