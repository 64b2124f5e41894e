import { ApiError } from '@passport/contract/call'
import { failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import type { ListPageProps } from './ListPage.tsx'

type StatesProps<Row> = Pick<ListPageProps<Row>, 'list' | 'noun' | 'state' | 'nothingYet'>

/** What stands in the place of the rows where there are none, and why there are none. */
export function ListStates<Row>({ list, noun: [, many], state, nothingYet }: StatesProps<Row>) {
  if (list.error instanceof ApiError && list.error.status === 403)
    return (
      <Empty kind="no permission" title={`You may not see these ${many}`}>
        Ask an administrator for access.
      </Empty>
    )
  if (list.error) return <ErrorCard failure={failureOf(list.error)} onRetry={() => void list.refetch()} />
  if (list.data && (list.data.total > 0 || state.page > 1))
    return (
      <Empty kind="no match" title="Nothing is on this page any more">
        <Button className="mt-3" isSmall onClick={state.goFirst}>
          First page
        </Button>
      </Empty>
    )
  if (state.isNarrowed)
    return (
      <Empty kind="no match" title={`No ${many} match`}>
        <p>Change the search or clear the filters.</p>
        <Button className="mt-3" isSmall onClick={state.clear}>
          Clear filters
        </Button>
      </Empty>
    )
  return (
    <Empty kind="nothing yet" title={`There are no ${many} yet`}>
      {nothingYet}
    </Empty>
  )
}
