// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// A contract wallet with one owner, who signs for it (ERC-1271).
contract TestWallet is IERC1271 {
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(hash, signature);
        bool valid = problem == ECDSA.RecoverError.NoError && signer == owner;
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Deploys wallets at addresses known beforehand, as ERC-6492 needs.
contract TestWalletFactory {
    function deploy(address owner) external returns (address) {
        return address(new TestWallet{salt: bytes32(0)}(owner));
    }
}
