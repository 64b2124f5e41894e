const flag = 'passport.reloaded-for'

/**
 * Reloads a page whose files were removed by an update, once per page: a file that is really missing must not cause a
 * reload loop.
 */
export function reloadOnceForNewBuild(): void {
  addEventListener('vite:preloadError', (event) => {
    if (sessionStorage.getItem(flag) === location.href) return
    sessionStorage.setItem(flag, location.href)
    event.preventDefault()
    location.reload()
  })
}
