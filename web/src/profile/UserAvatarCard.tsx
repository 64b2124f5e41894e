import { deleteAvatarGlbUrl, deleteAvatarPngUrl, getAvatar } from '@passport/contract/avatar'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Card } from '../ui/Card.tsx'
import { ModelView } from './ModelView.tsx'
import { RemoveFile } from './RemoveFile.tsx'
import { SourceLine } from './SourceLine.tsx'

/** The picture and 3D avatar of a user, which administrators can remove; nothing if the user has neither. */
export function UserAvatarCard({ userId, name }: { userId: string; name: string }) {
  const { data: avatar } = useQuery(query(getAvatar, { params: { profileId: userId } }))
  if (!avatar || avatar.source === 'none') return null
  const { pngUrl, pngSource, glbUrl, glbSource } = avatar
  return (
    <Card title="Avatar">
      <div className="grid gap-5 px-4 pt-1 pb-4 sm:px-[18px]">
        {pngUrl && (
          <div className="flex items-center gap-3">
            <Avatar id={userId} name={name} picture={pngUrl} size={60} />
            <p className="min-w-0 flex-1 text-[13px] text-ink2">
              <SourceLine avatar={avatar} source={pngSource} />
            </p>
            <RemoveFile profileId={userId} endpoint={deleteAvatarPngUrl} kind="picture" isSmall>
              The initials of {name} appear instead.
            </RemoveFile>
          </div>
        )}
        {glbUrl && (
          <div className="grid gap-3">
            <ModelView key={glbUrl} name={name} avatar={{ pngUrl, pngSource, glbUrl }} />
            <div className="flex items-center gap-3">
              <p className="min-w-0 flex-1 text-[13px] text-ink2">
                <SourceLine avatar={avatar} source={glbSource} />
              </p>
              <RemoveFile profileId={userId} endpoint={deleteAvatarGlbUrl} kind="3D avatar" isSmall>
                {name} can upload another one.
              </RemoveFile>
            </div>
          </div>
        )}
      </div>
    </Card>
  )
}
