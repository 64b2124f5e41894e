/** The placeholder of a loading page. */
export function PagePending() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading</span>
      <div className="skeleton h-7 w-44" />
      <div className="skeleton mt-6 h-9 w-80 max-w-full" />
      <div className="skeleton mt-4 h-80" />
    </div>
  )
}
