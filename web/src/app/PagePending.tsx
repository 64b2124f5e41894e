/** The pages of one record: their address has an id after the list. */
const recordPath = /\/(?:admin|account)\/(?:users|groups|orgs|roles)\/(?!create|import|invitations)[^/]+/

/** The placeholder of a loading page, in the layout of a record or of a list. */
export function PagePending() {
  const isRecord = recordPath.test(location.pathname)
  return (
    <div aria-busy="true" className="animate-[appear_1ms_150ms_both]">
      <span className="sr-only">Loading</span>
      {isRecord ? (
        <>
          <div className="flex h-15 items-center gap-4">
            <div className="skeleton size-15 rounded-full!" />
            <div className="grid gap-3">
              <div className="skeleton h-6 w-52" />
              <div className="skeleton h-3 w-64 max-w-full" />
            </div>
          </div>
          <div className="mt-4 mb-6 h-10 shadow-[inset_0_-1px_0_var(--line)]" />
        </>
      ) : (
        <>
          <div className="skeleton mt-1 h-6 w-44" />
          <div className="skeleton mt-3 h-3 w-28" />
          <div className="skeleton mt-6 h-9 w-80 max-w-full" />
        </>
      )}
      <PlaceholderRows rows={isRecord ? 5 : 10} />
    </div>
  )
}

/** A card with rows of a picture and text. */
function PlaceholderRows({ rows }: { rows: number }) {
  return (
    <div className="mt-3 card">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-[46px] items-center gap-2.5 border-t border-hair px-[18px] first:border-t-0">
          <div className="skeleton size-7 shrink-0 rounded-full!" />
          <div className="skeleton h-3" style={{ width: `${24 + ((row * 7) % 18)}%` }} />
          <div className="skeleton ml-auto h-3 w-14" />
          <div className="skeleton h-3 w-24 max-sm:hidden" />
        </div>
      ))}
    </div>
  )
}
