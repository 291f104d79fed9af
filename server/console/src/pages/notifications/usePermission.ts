import { useEffect, useState } from 'react';
import { permissionHere, type Permission } from '../../notifications/PushRegistration.ts';

/** The current permission to show notifications, kept up to date when it changes in the browser's settings. */
export function usePermission(): { permission: Permission; lookAgain: () => void } {
  const [permission, setPermission] = useState(permissionHere);
  const lookAgain = () => setPermission(permissionHere());
  useEffect(() => {
    let status: PermissionStatus | null = null;
    let isGone = false;
    const look = () => setPermission(permissionHere());
    navigator.permissions
      .query({ name: 'notifications' })
      .then((found) => {
        if (isGone) return;
        status = found;
        status.addEventListener('change', look);
      })
      // Some browsers do not report changes, so the permission is also read whenever the window gets the focus.
      .catch(() => undefined);
    window.addEventListener('focus', look);
    return () => {
      isGone = true;
      status?.removeEventListener('change', look);
      window.removeEventListener('focus', look);
    };
  }, []);
  return { permission, lookAgain };
}
