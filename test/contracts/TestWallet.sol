// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// A contract wallet whose only owner signs for it (ERC-1271).
contract TestWallet is IERC1271 {
    address private owner;

    constructor(address owner_) {
        owner = owner_;
    }

    /// Changes the owner. The wallet keeps its address.
    function setOwner(address owner_) external {
        require(msg.sender == owner, "not the owner");
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(hash, signature);
        bool valid = problem == ECDSA.RecoverError.NoError && signer == owner;
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// Deploys wallets at predictable addresses, as ERC-6492 requires.
contract TestWalletFactory {
    function deploy(address owner) external returns (address) {
        return address(new TestWallet{salt: bytes32(0)}(owner));
    }
}

/// Reverts every call except the callback with OffchainLookup (EIP-3668, CCIP-Read) to a port of this machine.
contract LookupWallet {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    uint256 private immutable port;

    constructor(uint256 port_) {
        port = port_;
    }

    fallback() external {
        if (msg.sig == 0x12345678) return;
        string[] memory urls = new string[](2);
        urls[0] = string.concat("http://127.0.0.1:", Strings.toString(port), "/{sender}/{data}.json");
        urls[1] = string.concat("http://127.0.0.1:", Strings.toString(port), "/post");
        revert OffchainLookup(address(this), urls, msg.data, 0x12345678, "");
    }
}

/// A wallet that accepts its owner's signature, but burns gas first.
contract BurningWallet is IERC1271 {
    address private immutable owner;
    uint256 private immutable burned;

    constructor(address owner_, uint256 burned_) {
        owner = owner_;
        burned = burned_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        uint256 end = gasleft() - burned;
        while (gasleft() > end) {}
        (address signer, ECDSA.RecoverError problem, ) = ECDSA.tryRecover(hash, signature);
        bool valid = problem == ECDSA.RecoverError.NoError && signer == owner;
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
