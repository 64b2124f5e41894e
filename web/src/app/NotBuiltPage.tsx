import { useMatches } from '@tanstack/react-router'
import { Empty } from '../ui/Empty.tsx'

/** An honest card in the place of a page whose room has not been built yet. */
export function NotBuiltPage() {
  const title = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.title)?.staticData.title,
  })
  const name = title === 'Admin' ? 'Users' : (title ?? 'This page')
  return (
    <div className="w-full max-w-[860px]">
      <h1>{name}</h1>
      <div className="mt-6 rounded-box border border-line bg-card">
        <Empty kind="nothing yet" title={`${name} is not built yet`}>
          It has its place and its guard; what belongs here comes with a later version.
        </Empty>
      </div>
    </div>
  )
}
