#pragma once
// mediasoup's hash containers (ankerl::unordered_dense, not packaged by Debian) on the standard ones, which have the same interface.

#include <unordered_map>
#include <unordered_set>

namespace ankerl::unordered_dense
{
template<class K>
struct hash : std::hash<K>
{
};
template<class K, class V, class H = std::hash<K>, class E = std::equal_to<K>>
using map = std::unordered_map<K, V, H, E>;
template<class K, class H = std::hash<K>, class E = std::equal_to<K>>
using set = std::unordered_set<K, H, E>;
} // namespace ankerl::unordered_dense
