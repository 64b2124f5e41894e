import { useMatches } from '@tanstack/react-router'
import { Empty } from '../ui/Empty.tsx'

/** The placeholder for a page whose feature is not built yet. */
export function NotBuiltPage() {
  const title = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.title)?.staticData.title,
  })
  const heading = title === 'Admin' ? 'Users' : (title ?? 'This page')
  return (
    <div className="w-full max-w-[860px]">
      <h1>{heading}</h1>
      <div className="mt-6 card">
        <Empty kind="nothing yet" title="Coming soon">
          This page isn't available yet.
        </Empty>
      </div>
    </div>
  )
}
