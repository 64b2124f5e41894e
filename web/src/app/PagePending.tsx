/** The placeholder of a loading page, in its final layout: head, tools and rows. It is in the first load: keep it small. */
export function PagePending() {
  return (
    <div aria-busy="true" className="animate-[appear_1ms_150ms_both]">
      <span className="sr-only">Loading</span>
      <div className="skeleton h-7 w-44" />
      <div className="skeleton mt-6 mb-4 h-9 w-80 max-w-full" />
      <div className="card">
        {Array.from({ length: 10 }, (_, row) => (
          <div key={row} className="flex h-[46px] items-center border-t border-hair px-5 first:border-0">
            <div className="skeleton h-3" style={{ width: `${30 + ((row * 7) % 18)}%` }} />
          </div>
        ))}
      </div>
    </div>
  )
}
